// SPDX-License-Identifier: BSD-3-Clause
//
// Memory ordering (OpenSHMEM 1.6, 9.12). Part of <shmem.h>.
//
// Without these routines nothing orders two operations, not even a put and an atomic to the same
// PE. Both act on one context only: shmem_fence() and shmem_quiet() on SHMEM_CTX_DEFAULT.

#ifndef SHMEM_INTERNAL_ORDERING_H
#define SHMEM_INTERNAL_ORDERING_H

#include "contexts.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Orders the puts, atomics, put-with-signals and memory stores that were issued on the context
 * before it, towards each PE, ahead of those issued after it. Gets, and the values that nonblocking
 * fetching atomics bring back, are not ordered.
 *
 * ctx        the context; SHMEM_CTX_INVALID does nothing. Stores count unless it has NOSTORE.
 *
 * RETURNS when: the order is guaranteed; delivery may come later. ERRORS: none.
 * THREADS: covers other threads' operations only where the program ordered them before this call.
 * OpenSHMEM 1.6, 9.12, shmem_fence.
 */
void shmem_fence(void) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_fence(shmem_ctx_t ctx) SHMEM_INTERNAL_NOTHROW;

/**
 * Completes all operations and memory stores that were issued on the context: puts and atomics are
 * delivered and visible to all PEs, nonblocking gets and fetches have their values.
 *
 * ctx        the context; SHMEM_CTX_INVALID does nothing. Stores count unless it has NOSTORE.
 *
 * RETURNS when: everything issued before is complete and visible. ERRORS: none.
 * THREADS: covers other threads' operations only where the program ordered them before this call.
 * OpenSHMEM 1.6, 9.12, shmem_quiet.
 */
void shmem_quiet(void) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_quiet(shmem_ctx_t ctx) SHMEM_INTERNAL_NOTHROW;

/**
 * Completes, as shmem_quiet does, the operations that were issued on the context towards some PEs.
 *
 * ctx         the context.
 * target_pes  npes PE numbers, counted within the context's team; may be NULL if npes is 0.
 * npes        number of elements. 0 returns at once.
 *
 * RETURNS when: everything issued before towards these PEs is complete and visible.
 * ERRORS: a PE number out of range ends the job with a message.
 * THREADS: as shmem_quiet. OpenSHMEM 1.6, 9.12, shmem_pe_quiet.
 */
void shmem_pe_quiet(const int* target_pes, size_t npes) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_pe_quiet(shmem_ctx_t ctx, const int* target_pes, size_t npes) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_ORDERING_H
