// SPDX-License-Identifier: BSD-3-Clause
//
// Right programs whose loads and stores the checker sees (oshcc --check). It says nothing. Cases
// whose names begin with ptr_ need PEs that map each other's memory.
#include <pthread.h>
#include <shmemx.h>
#include <stdatomic.h>

#include "cases.h"

static long data[64], other[64], flag, counter, seen;
static uint64_t signal_word;
static long lock;

static int next(void) { return (me + 1) % npes; }

static void fill(long* values, int count) {
    for (int i = 0; i < count; ++i) values[i] = i + me;
}

static long sum_of(const long* values, int count) {
    long sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    return sum;
}

CASE(barriers) {
    for (int step = 0; step < 4; ++step) {
        fill(data, 32);
        shmem_barrier_all();
        shmem_long_get(other, data, 32, next());
        shmem_barrier_all();
        seen = sum_of(other, 32);
    }
}

CASE(quiet_and_sync) {
    fill(other, 8);
    shmem_long_put(data, other, 8, next());
    shmem_quiet();
    shmem_sync_all();
    seen = sum_of(data, 8);
}

CASE(fence_and_flag) {
    fill(other, 8);
    shmem_long_put(data, other, 8, next());
    shmem_fence();
    shmem_long_p(&flag, 1, next());
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    seen = sum_of(data, 8) + flag;
}

CASE(test_in_a_loop) {
    fill(other, 8);
    shmem_long_put(data, other, 8, next());
    shmem_fence();
    shmem_long_atomic_set(&flag, 1, next());
    while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1)) {
    }
    seen = sum_of(data, 8);
}

CASE(put_with_signal) {
    fill(other, 64);
    shmem_long_put_signal(data, other, 64, &signal_word, 1, SHMEM_SIGNAL_SET, next());
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
    seen = sum_of(data, 64);
}

CASE(source_after_quiet) {
    long on_stack[8] = {0};
    shmem_long_put_nbi(data, on_stack, 8, next());
    shmem_long_put_nbi(data + 8, other, 8, next());
    shmem_quiet();
    fill(on_stack, 8);
    fill(other, 8);
    seen = sum_of(on_stack, 8);
}

CASE(beside_a_source) {  // another part of the array that is under way
    shmem_long_put_nbi(data, other, 8, next());
    fill(other + 8, 8);
    seen = sum_of(other, 8);
    shmem_quiet();
}

CASE(dest_after_quiet) {
    shmem_long_get_nbi(other, data, 8, next());
    shmem_quiet();
    seen = sum_of(other, 8);
}

CASE(own_put_then_quiet) {
    shmem_long_put(data, other, 8, me);
    shmem_quiet();
    seen = sum_of(data, 8);
}

CASE(lock_with_get_and_put) {  // PE 0 by loads and stores of its own memory
    for (int i = 0; i < 3; ++i) {
        shmem_set_lock(&lock);
        if (me == 0) {
            counter += 1;
        } else {
            shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
        }
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    if (me == 0 && counter != 3 * npes) exit(3);
}

CASE(atomic_hand_over) {  // a PE that sees the counter has the data of the one before it
    fill(data, 8);
    shmem_long_atomic_inc(&flag, next());
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_long_get(other, data, 8, (me + npes - 1) % npes);
    seen = sum_of(other, 8);
}

CASE(bytes_of_a_word) {  // each PE has its own byte of PE 0's word
    static char bytes[8];
    if (me > 0 && me < 8) shmem_char_p(&bytes[me], 1, 0);
    if (me == 0) bytes[0] += 1;
}

CASE(copies) {
    memset(other, me, sizeof other);
    shmem_barrier_all();
    shmem_long_put(data, other, 32, next());
    shmem_barrier_all();
    memcpy(other, data, 32 * sizeof(long));
    memmove(other + 1, other, 16 * sizeof(long));
    seen = sum_of(other, 32);
}

CASE(collectives) {
    fill(other, 8);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, data, other, 8);
    seen = sum_of(data, 8);
    fill(other, 8);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, data, other, 8, 0);
    seen = sum_of(data, 8);
    shmem_barrier_all();
    if (me == 0) fill(other, 8);
}

CASE(memory_again) {
    for (int i = 0; i < 3; ++i) {
        long* block = shmem_malloc(64 * sizeof(long));
        fill(block, 64);
        shmem_barrier_all();
        shmem_long_put(block, other, 32, next());
        shmem_barrier_all();
        seen = sum_of(block, 64);
        block = shmem_realloc(block, 128 * sizeof(long));
        fill(block, 128);
        shmem_free(block);
    }
}

CASE(team) {
    shmem_team_t pair;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &pair);
    if (me > 1) return;
    fill(data, 8);
    shmem_team_sync(pair);
    shmem_long_get(other, data, 8, 1 - me);
    shmem_team_sync(pair);
    fill(data, 8);
    seen = sum_of(other, 8);
    shmem_team_destroy(pair);
}

static void* store_part(void* part) {
    fill((long*)part, 16);
    return NULL;
}

CASE(threads) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, store_part, data + 16 * i);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    shmem_barrier_all();
    shmem_long_get(other, data, 64, next());
    seen = sum_of(other, 64);
}

CASE(ptr_and_barriers) {
    long* theirs = shmem_ptr(data, next());
    fill(theirs, 32);
    shmem_barrier_all();
    seen = sum_of(data, 32);
    shmem_barrier_all();
    fill(data, 32);
    shmem_barrier_all();
    seen = sum_of(theirs, 32);
}

CASE(ptr_and_atomic_flag) {
    long* theirs = shmem_ptr(data, next());
    fill(theirs, 32);
    shmem_fence();
    shmem_long_atomic_set(&flag, 1, next());
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    seen = sum_of(data, 32);
}

CASE(ptr_and_stored_flag) {
    long* theirs = shmem_ptr(data, next());
    fill(theirs, 32);
    shmem_fence();
    *(volatile long*)shmem_ptr(&flag, next()) = 1;
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    seen = sum_of(data, 32);
}

CASE(ptr_and_atomics_of_c) {
    static _Atomic long ready;
    fill(data, 32);
    atomic_store_explicit((_Atomic long*)shmem_ptr(&ready, next()), 1, memory_order_release);
    while (atomic_load_explicit(&ready, memory_order_acquire) == 0) {
    }
    seen = sum_of(shmem_ptr(data, (me + npes - 1) % npes), 32);
}

CASE(ptr_and_fetch_add) {  // a counter of all PEs, and a put that an atomic load waits for
    static _Atomic long sum;
    static _Atomic long arrived;
    atomic_fetch_add((_Atomic long*)shmem_ptr(&sum, 0), 1);
    shmem_long_p((long*)&arrived, 1, next());
    while (atomic_load(&arrived) == 0) {
    }
    shmem_barrier_all();
    if (me == 0 && atomic_load(&sum) != npes) exit(4);
}
