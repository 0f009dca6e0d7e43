// SPDX-License-Identifier: BSD-3-Clause
//
// Windows: ranges of memory that epochs (epochs.h) and synchronization are about, where the others
// are about all symmetric memory. Part of <shmemx.h>.
//
// Each member of a team gives a part of its memory. An epoch on a window belongs to the epochs of
// the same window alone: two libraries in one program, or the two grids of a stencil, need not know
// each other's. On memory that software keeps coherent (docs/runtimes/noncoherent.md), only the
// caller's part is published and refreshed, so the cost follows from what was changed in it; on
// coherent memory windows cost nothing and save nothing.
//
//     shmemx_window_create(SHMEM_TEAM_WORLD, ghosts, sizeof ghosts, &window);
//     shmemx_window_post(window, &left, 1, 0, &exposure);
//     shmemx_window_start(window, &right, 1, 0, &access);
//     shmemx_epoch_put(access, ghosts, line, sizeof ghosts, right);
//     shmemx_epoch_complete(&access);
//     shmemx_epoch_wait(&exposure);
//
// All PE numbers are those of the world. A PE may be in 63 windows at a time. A window ends with
// its team at the latest.
//
// ERRORS, for all: a value that is no window of the calling PE (any more) ends the job with a
// message. THREADS, for all: as the thread level allows; collective routines as collectives: one
// thread per PE and team at a time.

#ifndef SHMEM_INTERNAL_SHMEMX_WINDOWS_H
#define SHMEM_INTERNAL_SHMEMX_WINDOWS_H

#include <shmem/teams.h>
#include <stddef.h>

#include "epochs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An opaque handle of a window; each member has its own value. */
typedef struct shmem_internal_window* shmemx_window_t;

/** The value of a handle whose window has ended. */
#define SHMEMX_WINDOW_INVALID SHMEM_INTERNAL_NO_HANDLE(shmemx_window_t)

/**
 * Creates a window. Collective over the team.
 *
 * team       any team that the PE is in, also a predefined one.
 * base       the first byte of this PE's part: a symmetric address, the address of a block of this
 *            PE's local memory or of team memory, or the name of a byte of its part of a registered
 *            segment. Members may give different ones. NULL only with 0 bytes.
 * nbytes     bytes of this PE's part; members may give different numbers, also 0.
 * window     receives the handle.
 *
 * RETURNS when: all members have called it, and each may open epochs: 0; or another value on all
 * members, with SHMEMX_WINDOW_INVALID, when a member is in 63 windows already.
 * ERRORS: see the top of this file; also bytes that are not all symmetric memory of one kind, and
 * NULL with bytes or for window, end the job with a message. THREADS: see the top of this file.
 */
int shmemx_window_create(shmem_team_t team, void* base, size_t nbytes,
                         shmemx_window_t* window) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends a window. Collective over its team, in the same order on all members. The memory stays as it
 * is.
 *
 * window     a window; becomes SHMEMX_WINDOW_INVALID, which is allowed and does nothing.
 *
 * RETURNS when: all members have called it. ERRORS: see the top of this file; also an epoch of the
 * calling PE that is open. THREADS: see the top of this file.
 */
void shmemx_window_destroy(shmemx_window_t* window) SHMEM_INTERNAL_NOTHROW;

/**
 * Opens an exposure epoch of the calling PE's part of a window. Otherwise as shmemx_epoch_post;
 * shmemx_epoch_wait and shmemx_epoch_test end it.
 *
 * window     a window.
 * origins    members of the window's team, each once, in any order. NULL with 0.
 * norigins   their number.
 * options    0, or SHMEMX_EPOCH_NOSTORE, SHMEMX_EPOCH_NOPUT.
 * epoch      receives the handle.
 *
 * RETURNS when: the origins have been told.
 * ERRORS: as shmemx_epoch_post; also an origin that is no member, and an open exposure epoch of
 * another window whose part has bytes in common, unless neither allows puts.
 * THREADS: see the top of this file.
 */
void shmemx_window_post(shmemx_window_t window, const int* origins, size_t norigins, long options,
                        shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

/**
 * Opens an access epoch to the targets' parts of a window. Otherwise as shmemx_epoch_start. Puts
 * and gets of the epoch must stay in the target's part. shmemx_epoch_complete ends it.
 *
 * window     a window.
 * targets    members of the window's team, each once, in any order. NULL with 0.
 * ntargets   their number.
 * options    0, SHMEMX_EPOCH_NOPUT, and one of SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED.
 * epoch      receives the handle.
 *
 * RETURNS when: as shmemx_epoch_start.
 * ERRORS: as shmemx_epoch_start; also a target that is no member.
 * THREADS: see the top of this file.
 */
void shmemx_window_start(shmemx_window_t window, const int* targets, size_t ntargets, long options,
                         shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

/**
 * Separates the accesses before it from those after it (MPI calls this MPI_Win_fence). Collective
 * over the window's team.
 *
 * window     a window.
 * options    0, or promises: SHMEMX_EPOCH_NOSTORE, the calling PE has stored nothing into its part
 *            since the last synchronization; SHMEMX_EPOCH_NOPUT, no PE has put to the calling PE's
 *            part since then.
 *
 * RETURNS when: all members have called it. Their operations on the default context before the call
 * are complete, and the calling PE sees in its part what others have put, others see what it has
 * stored there.
 * ERRORS: see the top of this file; also other options. THREADS: see the top of this file.
 */
void shmemx_window_barrier(shmemx_window_t window, long options) SHMEM_INTERNAL_NOTHROW;

/**
 * Makes what the calling PE has stored into its part visible to others, as shmemx_writeback.
 *
 * window     a window.
 *
 * RETURNS when: the stores are visible before every store of the calling PE that follows.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_window_publish(shmemx_window_t window) SHMEM_INTERNAL_NOTHROW;

/**
 * Lets loads of the calling PE's part that follow see what others have stored, as
 * shmemx_invalidate.
 *
 * window     a window.
 *
 * RETURNS when: every load of the part that follows sees what was visible at the call.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_window_refresh(shmemx_window_t window) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies bytes to or from a member's part of a window, as shmem_putmem and shmem_getmem.
 *
 * window     a window.
 * dest       put: address on pe, as routines of OpenSHMEM take it; get: local address.
 * source     put: local address; get: address on pe.
 * nbytes     bytes, all of them in pe's part.
 * pe         a member.
 *
 * RETURNS when: as shmem_putmem: source may be reused; as shmem_getmem: dest has the data.
 * ERRORS: see the top of this file; also bytes outside of pe's part, with their offset in it.
 * THREADS: see the top of this file.
 */
void shmemx_window_put(shmemx_window_t window, void* dest, const void* source, size_t nbytes,
                       int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_window_get(shmemx_window_t window, void* dest, const void* source, size_t nbytes,
                       int pe) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_WINDOWS_H
