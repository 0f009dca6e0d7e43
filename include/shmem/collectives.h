// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives (OpenSHMEM 1.6, 9.10): the barrier and the synchronization of all PEs. The active-set
// forms are in shmem/deprecated.h. Part of <shmem.h>.
//
// A collective is matched by program order: all PEs call the same ones in the same order, each from
// one thread at a time. Allocation routines (shmem/memory.h) count as collectives here.

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
 * RETURNS when: all PEs have called it, and what each issued before on the default context, and its
 * memory stores, are complete and visible on all PEs.
 * ERRORS: none. THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.10, shmem_barrier_all.
 */
void shmem_barrier_all(void);

/**
 * Waits for all PEs. Completes memory stores, but none of the library's operations: call
 * shmem_quiet before it where they must be complete.
 *
 * RETURNS when: all PEs have called it, and the memory stores each made before are visible.
 * ERRORS: none. THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.10, shmem_sync_all.
 */
void shmem_sync_all(void);

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_COLLECTIVES_H
