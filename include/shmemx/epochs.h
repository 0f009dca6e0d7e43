// SPDX-License-Identifier: BSD-3-Clause
//
// Epochs: synchronization of the PEs that access memory with the PEs that own it, for lists of PEs
// (post, start, complete, wait; Christgau 2017, chapter 3). Part of <shmemx.h>.
//
// A target posts: it exposes its memory to a list of origins, until it has waited for them. An
// origin starts: it accesses the memory of a list of targets, until it completes. The n-th access
// epoch of an origin towards a target belongs to the n-th exposure epoch of this target for this
// origin; other PEs never take part in that. A PE may be origin and target at the same time, also
// its own, and may have any number of epochs open.
//
//   target                                  origin
//   shmemx_epoch_post(origins, ..., &e);    shmemx_epoch_start(targets, ..., &e);
//                                           shmemx_epoch_put(e, dest, source, nbytes, target);
//   shmemx_epoch_wait(&e);                  shmemx_epoch_complete(&e);
//
// Starting does not wait for the targets (trigger-only): the first access to a target does, for
// this target alone. The modes IMMEDIATE and DEFERRED are there to compare. All PE numbers are
// those of the world.

#ifndef SHMEM_INTERNAL_SHMEMX_EPOCHS_H
#define SHMEM_INTERNAL_SHMEMX_EPOCHS_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An opaque handle of an open epoch of the calling PE. */
typedef struct shmem_internal_epoch* shmemx_epoch_t;

/** The value of a handle whose epoch has ended. */
#define SHMEMX_EPOCH_INVALID SHMEM_INTERNAL_NO_HANDLE(shmemx_epoch_t)

/**
 * Options, to be combined by |. Of post, a promise: since the PE's last synchronization it has
 * stored nothing into its symmetric memory that the origins may read.
 */
#define SHMEMX_EPOCH_NOSTORE (1L << 0)
/** For post and start. The program promises that no origin puts or updates in the epoch. */
#define SHMEMX_EPOCH_NOPUT (1L << 1)
/** For start: the call waits until all targets have posted, so that accesses need not wait. */
#define SHMEMX_EPOCH_IMMEDIATE (1L << 2)
/** For start: the library notes puts and gets of the epoch, and performs them at its end. */
#define SHMEMX_EPOCH_DEFERRED (1L << 3)

/**
 * Opens an exposure epoch: the listed origins may access this PE's symmetric memory until
 * shmemx_epoch_wait or a successful shmemx_epoch_test. They see the stores that this PE has
 * made before.
 *
 * origins    PE numbers, each once, in any order. NULL with 0.
 * norigins   their number.
 * options    0, or SHMEMX_EPOCH_NOSTORE, SHMEMX_EPOCH_NOPUT.
 * epoch      receives the handle.
 *
 * RETURNS when: the origins have been told; they need not have started. The list may be reused.
 * ERRORS: a bad or repeated PE number, and options of start, end the job with a message.
 * THREADS: as the thread level allows. Epochs with one PE begin in the order of the calls.
 */
void shmemx_epoch_post(const int* origins, size_t norigins, long options,
                       shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

/**
 * Opens an access epoch: this PE may access the symmetric memory of the listed targets until
 * shmemx_epoch_complete, by shmemx_epoch_put and shmemx_epoch_get, or by other routines on the
 * default context after shmemx_epoch_ready. It need not access all of them.
 *
 * targets    PE numbers, each once, in any order. NULL with 0.
 * ntargets   their number.
 * options    0, SHMEMX_EPOCH_NOPUT, and one of SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED.
 * epoch      receives the handle.
 *
 * RETURNS when: at once, local; IMMEDIATE: all targets have posted. The list may be reused.
 * ERRORS: a bad or repeated PE number, and options that do not fit, end the job with a message.
 * THREADS: as the thread level allows. Epochs with one PE begin in the order of the calls.
 */
void shmemx_epoch_start(const int* targets, size_t ntargets, long options,
                        shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

/**
 * Waits until a target of an access epoch has posted.
 *
 * epoch      an access epoch.
 * pe         one of its targets.
 *
 * RETURNS when: the PE may access pe's memory, and sees what pe stored before it posted.
 * ERRORS: a PE that is not in the epoch's list, and a handle of no open access epoch, end the job
 * with a message. THREADS: as the thread level allows.
 */
void shmemx_epoch_ready(shmemx_epoch_t epoch, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies bytes to a target of an access epoch, when that has posted (DEFERRED: when the epoch is
 * completed).
 *
 * epoch      an access epoch without SHMEMX_EPOCH_NOPUT.
 * dest       symmetric address on pe.
 * source     local address.
 * nbytes     bytes.
 * pe         one of the epoch's targets.
 *
 * RETURNS when: at once after pe has posted; DEFERRED: at once. The source may be reused after
 * shmemx_epoch_complete.
 * ERRORS: as shmemx_epoch_ready and shmem_putmem. THREADS: as the thread level allows.
 */
void shmemx_epoch_put(shmemx_epoch_t epoch, void* dest, const void* source, size_t nbytes,
                      int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies bytes from a target of an access epoch, when that has posted (DEFERRED: when the epoch is
 * completed).
 *
 * epoch      an access epoch.
 * dest       local address.
 * source     symmetric address on pe.
 * nbytes     bytes.
 * pe         one of the epoch's targets.
 *
 * RETURNS when: at once after pe has posted; DEFERRED: at once. dest holds the data after
 * shmemx_epoch_complete.
 * ERRORS: as shmemx_epoch_ready and shmem_getmem. THREADS: as the thread level allows.
 */
void shmemx_epoch_get(shmemx_epoch_t epoch, void* dest, const void* source, size_t nbytes,
                      int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends an access epoch and tells its targets. Access epochs towards one target end in the order in
 * which they began.
 *
 * epoch      an access epoch; becomes SHMEMX_EPOCH_INVALID.
 *
 * RETURNS when: the calling PE's operations on the default context are complete, as after
 * shmem_quiet (with SHMEMX_EPOCH_NOPUT: those of shmemx_epoch_get), and the targets have been told.
 * Does not wait for a target that was not accessed. DEFERRED: waits for those that are accessed.
 * ERRORS: a handle of no open access epoch, and an older open access epoch towards one of the
 * targets, end the job with a message. THREADS: as the thread level allows.
 */
void shmemx_epoch_complete(shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends an exposure epoch.
 *
 * epoch      an exposure epoch; becomes SHMEMX_EPOCH_INVALID.
 *
 * RETURNS when: all its origins have completed their access epochs that belong to it, and their
 * puts are visible.
 * ERRORS: a handle of no open exposure epoch ends the job with a message. A listed origin that
 * never completes lets the call hang; oshrun's report names the routine.
 * THREADS: as the thread level allows.
 */
void shmemx_epoch_wait(shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends an exposure epoch if its origins have completed.
 *
 * epoch      an exposure epoch; becomes SHMEMX_EPOCH_INVALID if it has ended.
 *
 * RETURNS when: at once: 1 as shmemx_epoch_wait, or 0: the epoch is still open.
 * ERRORS, THREADS: as shmemx_epoch_wait.
 */
int shmemx_epoch_test(shmemx_epoch_t* epoch) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_EPOCHS_H
