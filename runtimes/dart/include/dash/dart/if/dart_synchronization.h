// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of teams: at most one unit of the team holds a lock, one thread of it.

#ifndef DASH_DART_IF_DART_SYNCHRONIZATION_H
#define DASH_DART_IF_DART_SYNCHRONIZATION_H

#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A lock. */
typedef struct dart_lock_struct* dart_lock_t;

/** No lock. */
#define DART_LOCK_NULL ((dart_lock_t)NULL)

/**
 * Makes a lock. Collective.
 *
 * teamid  the team whose units share the lock.
 * lock    receives the lock.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no such team; DART_ERR_NOMEM.
 */
dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t* lock) DART_NOTHROW;

/**
 * Ends a lock. Collective. The team may have been destroyed before.
 *
 * lock    the lock; becomes DART_LOCK_NULL. DART_LOCK_NULL does nothing. A unit that holds it ends
 *         the program with a message.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: NULL, or no lock.
 */
dart_ret_t dart_team_lock_destroy(dart_lock_t* lock) DART_NOTHROW;

/**
 * Waits until the unit holds the lock. Units get it in the order of their calls.
 *
 * lock    the lock.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no lock, or the calling thread holds it already.
 */
dart_ret_t dart_lock_acquire(dart_lock_t lock) DART_NOTHROW;

/**
 * Takes the lock if it is free.
 *
 * lock    the lock.
 * result  receives 1 if the unit holds the lock now, else 0.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no lock; also, with result 1, the calling thread holds it
 * already.
 */
dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t* result) DART_NOTHROW;

/**
 * Gives the lock back, or on to the next unit that waits.
 *
 * lock    the lock.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no lock, or the calling thread does not hold it.
 */
dart_ret_t dart_lock_release(dart_lock_t lock) DART_NOTHROW;

/** Tells whether `lock` is a lock. Local; false for NULL. */
bool dart_lock_initialized(struct dart_lock_struct const* lock) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_SYNCHRONIZATION_H
