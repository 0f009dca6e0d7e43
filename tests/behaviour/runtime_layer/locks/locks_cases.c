// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of locks_errors_test.py, one for each argument, made by the last PE. A mistake that
// goes unnoticed ends with code 0.
#include <pthread.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/named_cases.h"

static shmemx_mutex_t mutexes[2];
static shmemx_rwlock_t rwlock;

CASE(lock_twice) {
    shmemx_mutex_lock(mutexes, 0);
    shmemx_mutex_lock(mutexes, 0);
}
CASE(unlock_free) { shmemx_mutex_unlock(mutexes, 1); }
CASE(unlock_of_other) { shmemx_mutex_unlock(mutexes + 1, 0); }  // PE 0 holds it.
CASE(unlock_twice) {
    shmemx_mutex_lock(mutexes, 0);
    shmemx_mutex_unlock(mutexes, 0);
    shmemx_mutex_unlock(mutexes, 0);
}
CASE(other_instance) {
    shmemx_mutex_lock(mutexes, 0);
    shmemx_mutex_unlock(mutexes, 1);
}
CASE(private_mutex) {
    shmemx_mutex_t* mutex = calloc(1, sizeof *mutex);
    shmemx_mutex_lock(mutex, 0);
}
CASE(null_mutex) { shmemx_mutex_trylock(NULL, 0); }
CASE(unaligned) { shmemx_mutex_lock((shmemx_mutex_t*)((char*)mutexes + 4), 0); }
CASE(bad_pe) { shmemx_mutex_lock(mutexes, shmem_n_pes()); }
CASE(owner_bad_pe) { shmemx_mutex_owner(mutexes, -1); }
CASE(abandon_of_other) { shmemx_mutex_abandon(mutexes + 1, 0); }  // PE 0 holds it.
CASE(inherited_free) { shmemx_mutex_inherited(mutexes, 1); }
CASE(read_twice) {
    shmemx_rwlock_read_lock(&rwlock, 0);
    shmemx_rwlock_read_lock(&rwlock, 0);
}
CASE(upgrade) {
    shmemx_rwlock_read_lock(&rwlock, 0);
    shmemx_rwlock_write_lock(&rwlock, 0);
}
CASE(read_unlock_free) { shmemx_rwlock_read_unlock(&rwlock, 0); }
CASE(wrong_unlock) {
    shmemx_rwlock_write_lock(&rwlock, 0);
    shmemx_rwlock_read_unlock(&rwlock, 0);
}
CASE(rwlock_bad_pe) { shmemx_rwlock_write_trylock(&rwlock, 99); }
static void* unlock_in_thread(void* unused) {
    shmemx_mutex_unlock(mutexes, 0);
    return unused;
}
CASE(thread_unlock) {
    pthread_t thread;
    shmemx_mutex_lock(mutexes, 0);
    pthread_create(&thread, NULL, unlock_in_thread, NULL);
    pthread_join(thread, NULL);
}
static void early(void) { shmemx_mutex_unlock(mutexes, 0); }
// No mistakes.
CASE(fine_trylock_own) {
    shmemx_mutex_lock(mutexes, 0);
    const int mutex = shmemx_mutex_trylock(mutexes, 0);
    shmemx_rwlock_read_lock(&rwlock, 0);
    const int read = shmemx_rwlock_read_trylock(&rwlock, 0);
    const int write = shmemx_rwlock_write_trylock(&rwlock, 0);
    if (mutex + read + write != 0) exit(3);
    shmemx_rwlock_read_unlock(&rwlock, 0);
    shmemx_mutex_unlock(mutexes, 0);
}
// Without SHMEM_THREAD_MULTIPLE the PE is the holder, so any of its threads may unlock.
CASE(fine_serialized) { thread_unlock(); }
CASE(hang) {
    if (shmemx_mutex_owner(mutexes + 1, 0) == 0) shmemx_mutex_lock(mutexes + 1, 0);
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "early") == 0) early();
    int provided = 0;
    const int level =
        strcmp(name, "thread_unlock") == 0 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SERIALIZED;
    shmem_init_thread(level, &provided);
    if (shmem_my_pe() == 0) shmemx_mutex_lock(mutexes + 1, 0);
    shmem_barrier_all();
    if (shmem_my_pe() == shmem_n_pes() - 1) run_case(name);
    shmem_barrier_all();
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_mutex_lock(mutexes, 0);
    return 0;
}
