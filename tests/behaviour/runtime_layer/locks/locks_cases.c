// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of locks_errors_test.py, one for each argument, made by the last PE. A mistake that
// goes unnoticed ends with code 0.
#include <pthread.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static shmemx_mutex_t mutexes[2];
static shmemx_rwlock_t rwlock;

static void lock_twice(void) {
    shmemx_mutex_lock(mutexes, 0);
    shmemx_mutex_lock(mutexes, 0);
}
static void unlock_free(void) { shmemx_mutex_unlock(mutexes, 1); }
static void unlock_of_other(void) { shmemx_mutex_unlock(mutexes + 1, 0); }  // PE 0 holds it.
static void unlock_twice(void) {
    shmemx_mutex_lock(mutexes, 0);
    shmemx_mutex_unlock(mutexes, 0);
    shmemx_mutex_unlock(mutexes, 0);
}
static void other_instance(void) {
    shmemx_mutex_lock(mutexes, 0);
    shmemx_mutex_unlock(mutexes, 1);
}
static void private_mutex(void) {
    shmemx_mutex_t* mutex = calloc(1, sizeof *mutex);
    shmemx_mutex_lock(mutex, 0);
}
static void null_mutex(void) { shmemx_mutex_trylock(NULL, 0); }
static void unaligned(void) { shmemx_mutex_lock((shmemx_mutex_t*)((char*)mutexes + 4), 0); }
static void bad_pe(void) { shmemx_mutex_lock(mutexes, shmem_n_pes()); }
static void owner_bad_pe(void) { shmemx_mutex_owner(mutexes, -1); }
static void read_twice(void) {
    shmemx_rwlock_read_lock(&rwlock, 0);
    shmemx_rwlock_read_lock(&rwlock, 0);
}
static void upgrade(void) {
    shmemx_rwlock_read_lock(&rwlock, 0);
    shmemx_rwlock_write_lock(&rwlock, 0);
}
static void read_unlock_free(void) { shmemx_rwlock_read_unlock(&rwlock, 0); }
static void wrong_unlock(void) {
    shmemx_rwlock_write_lock(&rwlock, 0);
    shmemx_rwlock_read_unlock(&rwlock, 0);
}
static void rwlock_bad_pe(void) { shmemx_rwlock_write_trylock(&rwlock, 99); }
static void* unlock_in_thread(void* unused) {
    shmemx_mutex_unlock(mutexes, 0);
    return unused;
}
static void thread_unlock(void) {
    pthread_t thread;
    shmemx_mutex_lock(mutexes, 0);
    pthread_create(&thread, NULL, unlock_in_thread, NULL);
    pthread_join(thread, NULL);
}
static void early(void) { shmemx_mutex_unlock(mutexes, 0); }
// No mistakes.
static void fine_trylock_own(void) {
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
static void fine_serialized(void) { thread_unlock(); }
static void hang(void) {
    if (shmemx_mutex_owner(mutexes + 1, 0) == 0) shmemx_mutex_lock(mutexes + 1, 0);
}

static const struct {
    const char* name;
    void (*run)(void);
} kCases[] = {{"lock_twice", lock_twice},
              {"unlock_free", unlock_free},
              {"unlock_of_other", unlock_of_other},
              {"unlock_twice", unlock_twice},
              {"other_instance", other_instance},
              {"private_mutex", private_mutex},
              {"null_mutex", null_mutex},
              {"unaligned", unaligned},
              {"bad_pe", bad_pe},
              {"owner_bad_pe", owner_bad_pe},
              {"read_twice", read_twice},
              {"upgrade", upgrade},
              {"read_unlock_free", read_unlock_free},
              {"wrong_unlock", wrong_unlock},
              {"rwlock_bad_pe", rwlock_bad_pe},
              {"thread_unlock", thread_unlock},
              {"fine_trylock_own", fine_trylock_own},
              {"fine_serialized", fine_serialized},
              {"hang", hang}};

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "early") == 0) early();
    int provided = 0;
    const int level =
        strcmp(name, "thread_unlock") == 0 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SERIALIZED;
    shmem_init_thread(level, &provided);
    if (shmem_my_pe() == 0) shmemx_mutex_lock(mutexes + 1, 0);
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
        if (strcmp(kCases[i].name, name) != 0 || shmem_my_pe() != shmem_n_pes() - 1) continue;
        kCases[i].run();
    }
    shmem_barrier_all();
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_mutex_lock(mutexes, 0);
    return 0;
}
