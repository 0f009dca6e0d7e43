// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that go on when the process of a PE dies. Part of <shmemx.h>.
//
// OpenSHMEM knows no failures: the death of a PE ends the job. A runtime whose language knows them
// asks for survival. oshrun then keeps the other PEs alive when a signal ends a PE, and tells them.
// The memory of the dead PE stays: PEs of its node access it as before. Operations towards a dead
// PE of another node end the job with a message, as does the 64th death.
//
// A collective routine that a dead member has not left waits for ever. The handler, which the wait
// calls, is the place to end the job then. shmemx_mutex_lock and _trylock work on: the mutex of a
// dead holder, or of a dead PE in line, passes to the next PE, and shmemx_mutex_inherited tells it.

#ifndef SHMEM_INTERNAL_SHMEMX_FAILURES_H
#define SHMEM_INTERNAL_SHMEMX_FAILURES_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A function that is told of the PE that has died. */
typedef void (*shmemx_failure_handler_t)(int pe);

/**
 * Asks that the job survives the death of PEs. A death counts when all PEs of the job have asked
 * before; earlier ones end the job. shmem_finalize of a PE that knows of a death, or that has asked
 * and whose job has one node, does not wait for other PEs: the program synchronizes before.
 *
 * handler    called once for each PE that has died, by a thread of this PE that waits in a routine
 *            of the library; a null pointer: none. It may call routines that do not communicate,
 *            and shmem_global_exit.
 *
 * RETURNS when: at once; local: 1, or 0 where the launcher ends jobs by itself (all but oshrun).
 * ERRORS: none. THREADS: while no other thread of the PE calls the library.
 */
int shmemx_survive_failures(shmemx_failure_handler_t handler) SHMEM_INTERNAL_NOTHROW;

/**
 * The number of PEs that have died since the job asked for survival. It only grows.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: as the thread level allows.
 */
int shmemx_failure_count(void) SHMEM_INTERNAL_NOTHROW;

/**
 * A PE that has died.
 *
 * index      from 0 to shmemx_failure_count() - 1, in the order in which oshrun has noticed.
 *
 * RETURNS when: at once; local: the number of the PE in the world.
 * ERRORS: an index out of range ends the job with a message. THREADS: as the thread level allows.
 */
int shmemx_failed_pe(int index) SHMEM_INTERNAL_NOTHROW;

/**
 * Waits for a word of this PE as shmem_uint64_wait_until does, or for the death of a PE.
 *
 * ivar       the word, symmetric.
 * cmp        the comparison, SHMEM_CMP_EQ and the others.
 * cmp_value  the value to compare with.
 * failures   the number of deaths that the caller knows.
 *
 * RETURNS when: the comparison holds: 1; or shmemx_failure_count() is not `failures`: 0.
 * ERRORS: as shmem_uint64_wait_until. THREADS: as the thread level allows.
 */
int shmemx_wait_until_failure(uint64_t* ivar, int cmp, uint64_t cmp_value,
                              int failures) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_FAILURES_H
