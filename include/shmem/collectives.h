// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives (OpenSHMEM 1.6, 9.10): barrier and synchronization, data movement, reductions, scans.
// The active-set forms are in shmem/deprecated.h. Part of <shmem.h>.
//
// A collective is matched by program order: all PEs of the team call the same ones in the same
// order, each from one thread at a time; those of different teams may run at the same time.
// shmem_barrier_all, shmem_sync_all and the allocation routines (shmem/memory.h) count as
// collectives of SHMEM_TEAM_WORLD.
//
// Common to the routines with data. dest and source are symmetric addresses, the same objects on
// all PEs of the team. On entry dest must be ready to be written on all PEs, source to be read on
// the calling PE. When the routine returns on a PE, dest is complete and source reusable on that
// PE; nothing is said about the others. A count of 0 is allowed, with NULL pointers too, and is
// matched as any other call.
//
// RETURNS, for all that return a value: 0. ERRORS, for all: a handle that is no team (also
// SHMEM_TEAM_INVALID), a PE number out of range, NULL for an array, a count that an array has no
// room for, or a range that is not symmetric ends the job with a message.
// THREADS, for all: one thread per PE and team at a time, within what the thread level allows.

#ifndef SHMEM_INTERNAL_COLLECTIVES_H
#define SHMEM_INTERNAL_COLLECTIVES_H

#include "teams.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Waits for all PEs and completes all operations of the default context. Operations on other
 * contexts are not completed.
 *
 * RETURNS when: all PEs have called it, and the operations that each issued before on the default
 * context, and its memory stores, are complete and visible on all PEs.
 * ERRORS: none. THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.10, shmem_barrier_all.
 */
void shmem_barrier_all(void) SHMEM_INTERNAL_NOTHROW;

/**
 * Waits for all PEs. Completes memory stores, but none of the library's operations: call
 * shmem_quiet before it where they must be complete.
 *
 * RETURNS when: all PEs have called it, and the memory stores each made before are visible.
 * ERRORS: none. THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.10, shmem_sync_all.
 */
void shmem_sync_all(void) SHMEM_INTERNAL_NOTHROW;

/**
 * Waits for all PEs of a team. Completes memory stores, but none of the library's operations.
 *
 * team       the team. In C11 and C++ shmem_sync(team) is the same.
 *
 * RETURNS when: all PEs of the team have called it, and the memory stores each made before are
 * visible; 0. ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.10, shmem_team_sync.
 */
int shmem_team_sync(shmem_team_t team) SHMEM_INTERNAL_NOTHROW;

/**
 * Exchanges blocks of nelems elements: block i of source on PE j becomes block j of dest on PE i.
 *
 * team       the team.
 * dest       symmetric address of room for nelems elements from each PE, in PE order.
 * source     symmetric address of nelems elements for each PE, in PE order.
 * nelems     elements of TYPE, or bytes (alltoallmem), in a block; the same on all PEs.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.10, shmem_alltoall.
 */
// shmem_TYPENAME_alltoall
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                     \
    int shmem_##NAME##_alltoall(shmem_team_t team, T* dest, const T* source, size_t nelems) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

int shmem_alltoallmem(shmem_team_t team, void* dest, const void* source,
                      size_t nelems) SHMEM_INTERNAL_NOTHROW;

/**
 * Exchanges blocks of nelems elements with strides: element e of block i, at
 * source[(i * nelems + e) * sst] on PE j, goes to dest[(j * nelems + e) * dst] on PE i.
 *
 * team       the team.
 * dest       symmetric address of room for all elements with their stride.
 * source     symmetric address of the elements.
 * dst, sst   strides in dest and source, in elements of TYPE, or bytes (alltoallsmem), at least 1;
 *            the same on all PEs.
 * nelems     elements of TYPE, or bytes (alltoallsmem), in a block; the same on all PEs.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS, THREADS: see the top of this file; also a stride below 1.
 * OpenSHMEM 1.6, 9.10, shmem_alltoalls.
 */
// shmem_TYPENAME_alltoalls
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                      \
    int shmem_##NAME##_alltoalls(shmem_team_t team, T* dest, const T* source, ptrdiff_t dst, \
                                 ptrdiff_t sst, size_t nelems) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

int shmem_alltoallsmem(shmem_team_t team, void* dest, const void* source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t nelems) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies source of one PE to dest of all PEs of the team, its own included.
 *
 * team       the team.
 * dest       symmetric address of nelems elements. On PE_root it may be source itself.
 * source     symmetric address of nelems elements; read on PE_root only.
 * nelems     elements of TYPE, or bytes (broadcastmem); the same on all PEs.
 * PE_root    number of the PE in the team; the same on all PEs.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.10, shmem_broadcast.
 */
// shmem_TYPENAME_broadcast
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                      \
    int shmem_##NAME##_broadcast(shmem_team_t team, T* dest, const T* source, size_t nelems, \
                                 int PE_root) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

int shmem_broadcastmem(shmem_team_t team, void* dest, const void* source, size_t nelems,
                       int PE_root) SHMEM_INTERNAL_NOTHROW;

/**
 * Concatenates source of all PEs, in PE order, into dest of all PEs. Each PE gives as many elements
 * as it likes with collect, and all the same number with fcollect, which is faster.
 *
 * team       the team.
 * dest       symmetric address of room for the elements of all PEs.
 * source     symmetric address of nelems elements.
 * nelems     elements of TYPE, or bytes (collectmem, fcollectmem), that this PE gives.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.10, shmem_collect, shmem_fcollect.
 */
// shmem_TYPENAME_collect, shmem_TYPENAME_fcollect
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                     \
    int shmem_##NAME##_collect(shmem_team_t team, T* dest, const T* source, size_t nelems)  \
        SHMEM_INTERNAL_NOTHROW;                                                             \
    int shmem_##NAME##_fcollect(shmem_team_t team, T* dest, const T* source, size_t nelems) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

int shmem_collectmem(shmem_team_t team, void* dest, const void* source,
                     size_t nelems) SHMEM_INTERNAL_NOTHROW;
int shmem_fcollectmem(shmem_team_t team, void* dest, const void* source,
                      size_t nelems) SHMEM_INTERNAL_NOTHROW;

/**
 * Combines source of all PEs element by element and gives the result to all PEs, the same bits to
 * each: dest[i] is source[i] of PE 0 OP source[i] of PE 1 OP and so on. The order in which
 * floating-point numbers are combined is not specified.
 *
 * team       the team.
 * dest       symmetric address of nreduce elements; source itself, or without overlap.
 * source     symmetric address of nreduce elements.
 * nreduce    number of elements; the same on all PEs.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.10, shmem_and_reduce,
 * shmem_or_reduce, shmem_xor_reduce, shmem_max_reduce, shmem_min_reduce, shmem_sum_reduce,
 * shmem_prod_reduce.
 */
// shmem_TYPENAME_{and,or,xor}_reduce. Signed types exist here by exact width only.
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                        \
    int shmem_##NAME##_and_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce) \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    int shmem_##NAME##_or_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce)  \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    int shmem_##NAME##_xor_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RED_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_TYPENAME_{max,min}_reduce
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                        \
    int shmem_##NAME##_max_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce) \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    int shmem_##NAME##_min_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RED_MM_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_TYPENAME_{sum,prod}_reduce
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                         \
    int shmem_##NAME##_sum_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce)  \
        SHMEM_INTERNAL_NOTHROW;                                                                 \
    int shmem_##NAME##_prod_reduce(shmem_team_t team, T* dest, const T* source, size_t nreduce) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RED_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Adds source of the PEs up to this one, element by element: inscan with this PE's own source
 * included, exscan without it, so that PE 0 gets zeros.
 *
 * team       the team.
 * dest       symmetric address of nelems elements; source itself, or without overlap.
 * source     symmetric address of nelems elements.
 * nelems     number of elements; the same on all PEs.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS, THREADS: see the top of this file.
 * OpenSHMEM 1.6, 9.10, shmem_sum_inscan, shmem_sum_exscan.
 */
// shmem_TYPENAME_sum_inscan, shmem_TYPENAME_sum_exscan
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                       \
    int shmem_##NAME##_sum_inscan(shmem_team_t team, T* dest, const T* source, size_t nelems) \
        SHMEM_INTERNAL_NOTHROW;                                                               \
    int shmem_##NAME##_sum_exscan(shmem_team_t team, T* dest, const T* source, size_t nelems) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RED_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_COLLECTIVES_H
