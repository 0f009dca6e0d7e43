// SPDX-License-Identifier: BSD-3-Clause
//
// Distributed locks (OpenSHMEM 1.6, 9.13). Part of <shmem.h>.
//
// A lock is one symmetric long that is zero on all PEs before its first use; the symmetric object
// is one lock for the whole program, not one per PE. The word is opaque while the lock is in use.
// Locks are not reentrant: the PE, all its threads together, holds or waits for a lock once.

#ifndef SHMEM_INTERNAL_LOCKS_H
#define SHMEM_INTERNAL_LOCKS_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Acquires a lock. PEs get it in the order in which they asked.
 *
 * lock       symmetric address of the lock, 8 bytes.
 *
 * RETURNS when: the calling PE holds the lock and sees the completed operations of the last holder.
 * ERRORS: an address that is not symmetric ends the job with a message.
 * THREADS: any thread; the program keeps two threads of a PE from using one lock at once.
 * OpenSHMEM 1.6, 9.13, shmem_set_lock.
 */
void shmem_set_lock(long* lock) SHMEM_INTERNAL_NOTHROW;

/**
 * Acquires a lock if no PE has it.
 *
 * lock       symmetric address of the lock, 8 bytes.
 *
 * RETURNS when: decided, without waiting for a holder; 0 if the calling PE now holds the lock, 1 if
 * it does not. ERRORS and THREADS: as shmem_set_lock. OpenSHMEM 1.6, 9.13, shmem_test_lock.
 */
int shmem_test_lock(long* lock) SHMEM_INTERNAL_NOTHROW;

/**
 * Releases a lock that the calling PE holds, after completing all its operations on the default
 * context as shmem_quiet does.
 *
 * lock       symmetric address of the lock, 8 bytes.
 *
 * RETURNS when: the operations are complete and the lock is released or handed over.
 * ERRORS: releasing a lock that the PE does not hold is undefined; SHMEM_DEBUG=1 reports it.
 * THREADS: as shmem_set_lock. OpenSHMEM 1.6, 9.13, shmem_clear_lock.
 */
void shmem_clear_lock(long* lock) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_LOCKS_H
