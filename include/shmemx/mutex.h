// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes and reader-writer locks of single PEs. Part of <shmemx.h>.
//
// A lock of shmem_set_lock is one for the whole program. Here each PE has an instance of its own of
// a symmetric lock, and a routine names the instance by the PE. An instance is unlocked while its
// bytes are zero, so a static lock, and one from shmem_calloc, needs no initialization. It may lie
// in any symmetric memory. Its bytes are opaque, and nothing has to be destroyed: memory of a lock
// that no PE holds or waits for may be freed or used for other things.
//
// The holder is a PE; with SHMEM_THREAD_MULTIPLE it is a thread of a PE (as shmemx_register_gettid
// tells threads apart), and threads of a PE may contend for a lock. A PE may hold up to 262143
// locks at the same time. All PE numbers are those of the world.

#ifndef SHMEM_INTERNAL_SHMEMX_MUTEX_H
#define SHMEM_INTERNAL_SHMEMX_MUTEX_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A mutex: zero while it is unlocked. */
typedef struct {
    /** Opaque. */
    uint64_t shmem_internal_word;
} shmemx_mutex_t;

/** Initializer of an unlocked mutex. */
#define SHMEMX_MUTEX_INITIALIZER \
    { 0 }

/** A lock for many readers or one writer: zero while it is unlocked. */
typedef struct {
    /** Opaque. */
    uint64_t shmem_internal_words[2];
} shmemx_rwlock_t;

/** Initializer of an unlocked reader-writer lock. */
#define SHMEMX_RWLOCK_INITIALIZER \
    {                             \
        { 0, 0 }                  \
    }

/**
 * Locks a PE's mutex. Callers get it in the order in which they came. A caller that waits does so
 * on memory of its own.
 *
 * mutex      symmetric address of the mutex.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: the caller holds the mutex, and sees what the last holder stored and completed.
 * ERRORS: a caller that holds the mutex already, an address that is not symmetric, a bad PE number
 * and a job of more than 1048576 PEs end the job with a message.
 * THREADS: as the thread level allows.
 */
void shmemx_mutex_lock(shmemx_mutex_t* mutex, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Locks a PE's mutex if no PE has it.
 *
 * mutex      symmetric address of the mutex.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: decided, without waiting for a holder: 1 if the caller now holds the mutex, 2 if it
 * inherits it, too, 0 if it was locked, also by the caller. With 1 and 2 as shmemx_mutex_lock.
 * ERRORS, THREADS: as shmemx_mutex_lock.
 */
int shmemx_mutex_trylock(shmemx_mutex_t* mutex, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Unlocks a PE's mutex, after completing the calling PE's operations on the default context as
 * shmem_quiet does. Operations on other contexts are the program's to complete.
 *
 * mutex      symmetric address of the mutex.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: the mutex is unlocked, or handed over to the next caller in line.
 * ERRORS: a caller that does not hold the mutex ends the job with a message that names the holder.
 * THREADS: as the thread level allows; with SHMEM_THREAD_MULTIPLE the thread that has locked it.
 */
void shmemx_mutex_unlock(shmemx_mutex_t* mutex, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Unlocks a PE's mutex as shmemx_mutex_unlock does, for a PE that fails while it holds the mutex
 * and whose process lives on: the next holder inherits it (shmemx_mutex_inherited).
 *
 * mutex      symmetric address of the mutex.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: the mutex is free, or handed over to the next caller in line. Its bytes are zero as
 * soon as its next holder has unlocked it.
 * ERRORS, THREADS: as shmemx_mutex_unlock.
 */
void shmemx_mutex_abandon(shmemx_mutex_t* mutex, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Tells how the caller has got a PE's mutex, which it holds.
 *
 * mutex      symmetric address of the mutex.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: at once; local: 1 if the last holder has died with the mutex (shmemx/failures.h) or
 * abandoned it, so that what the mutex protects may be half done; else 0.
 * ERRORS, THREADS: as shmemx_mutex_unlock.
 */
int shmemx_mutex_inherited(shmemx_mutex_t* mutex, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Tells the PE that holds a PE's mutex.
 *
 * mutex      symmetric address of the mutex.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: known: the PE that held the mutex at some time during the call, or -1: it was
 * unlocked. Exact while the caller holds it. Looks at each caller in line at worst, without their
 * CPUs where the network can.
 * ERRORS: an address that is not symmetric and a bad PE number end the job with a message.
 * THREADS: as the thread level allows.
 */
int shmemx_mutex_owner(shmemx_mutex_t* mutex, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Lock a PE's reader-writer lock for reading or for writing. Any number of readers may hold it, or
 * one writer. First come, first served: readers that follow each other share the lock; a reader
 * never passes a writer that came before it. Neither reentrant, nor can a reader become a writer.
 *
 * lock       symmetric address of the lock.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: the caller holds the lock, and sees what earlier writers stored and completed.
 * ERRORS: a caller that has the lock already, for either use, an address that is not symmetric, a
 * bad PE number and a job of more than 1048576 PEs end the job with a message.
 * THREADS: as the thread level allows.
 */
void shmemx_rwlock_read_lock(shmemx_rwlock_t* lock, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_rwlock_write_lock(shmemx_rwlock_t* lock, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Lock a PE's reader-writer lock for reading or for writing if that is possible without waiting.
 *
 * lock       symmetric address of the lock.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: decided: 1 if the caller now has the lock, 0 if not. For reading: a writer has it
 * or waits for it, or a reader that had to wait has not entered yet. For writing: any PE has it or
 * waits for it. For both: the caller has it already. With 1 as the routines that wait.
 * ERRORS, THREADS: as shmemx_rwlock_read_lock.
 */
int shmemx_rwlock_read_trylock(shmemx_rwlock_t* lock, int pe) SHMEM_INTERNAL_NOTHROW;
int shmemx_rwlock_write_trylock(shmemx_rwlock_t* lock, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Unlock a PE's reader-writer lock, after completing the calling PE's operations on the default
 * context as shmem_quiet does.
 *
 * lock       symmetric address of the lock.
 * pe         the PE whose instance is meant.
 *
 * RETURNS when: the caller has given the lock back.
 * ERRORS: a caller that has not locked it, or has locked it for the other use, ends the job with a
 * message. THREADS: as shmemx_mutex_unlock.
 */
void shmemx_rwlock_read_unlock(shmemx_rwlock_t* lock, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_rwlock_write_unlock(shmemx_rwlock_t* lock, int pe) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_MUTEX_H
