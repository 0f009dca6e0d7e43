// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of teams, for runtimes. Part of <shmemx.h>. A block is symmetric for the members of the
// team: the address that a member receives names the member's own part, and, with the number of
// another member, that one's part, in every routine that takes symmetric addresses (RMA, atomics,
// signals, waits, locks, shmem_ptr, collectives of the team). Teams that have PEs in common may
// allocate in any order, also at the same time in different threads. Only the members take part.
//
// The memory is SHMEM_TEAM_MEMORY_SIZE bytes of each PE. The teams that a PE is in share it; teams
// without a common PE may have blocks at the same addresses.
//
// ERRORS, for all: as in shmem/teams.h; also SHMEM_TEAM_INVALID, and members that give different
// arguments, end the job with a message. THREADS, for all: as collectives: one thread per PE and
// team at a time.

#ifndef SHMEM_INTERNAL_SHMEMX_TEAM_MEMORY_H
#define SHMEM_INTERNAL_SHMEMX_TEAM_MEMORY_H

#include "../shmem/teams.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates memory on all members of a team, aligned to a cache line. Collective over the team.
 *
 * team       any team that the PE is in, also a predefined one.
 * size       bytes on each member; 0: NULL.
 *
 * RETURNS when: all members have called it, and the block may be used on all; the block, whose
 * contents are undefined, or NULL on all members when there is no place that is free on all.
 * ERRORS, THREADS: see the top of this file.
 */
void* shmemx_team_malloc(shmem_team_t team, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_team_malloc with an alignment.
 *
 * team       as shmemx_team_malloc.
 * alignment  a power of two, up to 2 MiB; anything else: NULL at once.
 * size       as shmemx_team_malloc.
 *
 * RETURNS when: as shmemx_team_malloc. ERRORS, THREADS: see the top of this file.
 */
void* shmemx_team_align(shmem_team_t team, size_t alignment, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_team_malloc of an array whose bytes are 0.
 *
 * team       as shmemx_team_malloc.
 * count      elements.
 * size       bytes of an element; a product that is no size_t: NULL.
 *
 * RETURNS when: the blocks of all members are 0; otherwise as shmemx_team_malloc.
 * ERRORS, THREADS: as shmemx_team_malloc.
 */
void* shmemx_team_calloc(shmem_team_t team, size_t count, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Frees a block on all members. Collective over the team, in the same order on all members. Blocks
 * that a team still has are freed by shmem_team_destroy and finalization.
 *
 * team       the team that allocated the block.
 * ptr        its start; NULL does nothing.
 *
 * RETURNS when: all members have called it, and their operations on the default context before the
 * call are complete. ERRORS: see the top of this file; also a pointer that is not the start of a
 * block of this team. THREADS: see the top of this file.
 */
void shmemx_team_free(shmem_team_t team, void* ptr) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_TEAM_MEMORY_H
