// SPDX-License-Identifier: BSD-3-Clause
//
// Distributed locking (OpenSHMEM 1.6, 9.13).
#include "shmem/locks.h"

#include "api/entry.hpp"
#include "locks/lock.hpp"

SHMEM_ENTRY(void, shmem_set_lock, long* lock) { tessera::Lock(lock, SHMEM_WHERE).set(); }
SHMEM_ENTRY(int, shmem_test_lock, long* lock) {
    return tessera::Lock(lock, SHMEM_WHERE).try_set() ? 0 : 1;
}
// Completes the holder's operations before the next one enters.
SHMEM_ENTRY(void, shmem_clear_lock, long* lock) {
    tessera::Lock word(lock, SHMEM_WHERE);
    tessera::default_context.quiet();
    word.clear();
}
