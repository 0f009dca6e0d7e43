// SPDX-License-Identifier: BSD-3-Clause
//
// Right programs, each with another way to order conflicting accesses. The checker says nothing.
#include <pshmem.h>
#include <shmemx.h>

#include "cases.h"

static long data[64], other[64], flag, counter, arrived[8];
static uint64_t signal_word;
static long lock, sync_array[SHMEM_BARRIER_SYNC_SIZE];

static int next(void) { return (me + 1) % npes; }

CASE(barriers) {
    for (int step = 0; step < 4; ++step) {
        shmem_long_p(data, step, next());
        shmem_barrier_all();
        shmem_long_put(other, data, 1, me);
        shmem_barrier_all();
    }
}

CASE(quiet_and_sync) {
    shmem_long_p(data, 1, next());
    shmem_quiet();
    shmem_sync_all();
    (void)shmem_long_g(data, next());
}

CASE(fence_and_atomic_flag) {
    shmem_long_put(data, other, 8, next());
    shmem_fence();
    shmem_long_atomic_set(&flag, 1, next());
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_long_put(other + 8, data, 8, me);
}

CASE(fence_and_put_flag) {
    shmem_long_put_nbi(data, other, 8, next());
    shmem_fence();
    shmem_long_p(&flag, 1, next());
    while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1)) {
    }
    shmem_long_p(&flag, 0, me);
    shmem_long_put(other + 8, data, 8, me);
    shmem_quiet();
}

CASE(flags_that_grow) {  // and buffers in turn: the neighbour is at most a step behind
    for (long step = 1; step <= 10; ++step) {
        shmem_long_put(data + step % 2 * 8, other, 8, next());
        shmem_fence();
        shmem_long_p(arrived, step, next());
        shmem_long_wait_until(arrived, SHMEM_CMP_GE, step);
        shmem_long_put(other + 8, data + step % 2 * 8, 8, me);
        shmem_quiet();
        shmem_sync_all();
    }
}

CASE(flags_of_two_pes) {  // ping-pong: each flag answers the other
    if (me > 1) return;
    for (long step = 1; step <= 10; ++step) {
        if (me == 1) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, step);
        shmem_long_put(data, other, 8, 1 - me);
        shmem_fence();
        shmem_long_p(&flag, step, 1 - me);
        if (me == 0) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, step);
    }
}

CASE(chain_of_flags) {  // the last PE gets what the first has put to the second
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);
        shmem_fence();
        shmem_long_atomic_set(&flag, 1, 1);
    } else {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_get(other, data, 8, 1);
        if (me + 1 < npes) shmem_long_atomic_set(&flag, 1, me + 1);
    }
}

CASE(put_signal) {
    shmem_long_put_signal(data, other, 8, &signal_word, 1, SHMEM_SIGNAL_SET, next());
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
    shmem_long_put(other + 8, data, 8, me);
}

CASE(strided_put_signal) {
    const size_t extent = 4;
    const ptrdiff_t stride = 16;
    shmemx_put_strided_signal(data, &stride, other, &stride, &extent, 1, 8, &signal_word, 1,
                              SHMEM_SIGNAL_SET, next());
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
    shmem_long_put(other + 8, data, 8, me);
}

CASE(put_signals_that_add) {
    if (me != 0) {
        shmem_long_put_signal_nbi(data + 8 * me, other, 8, &signal_word, 1, SHMEM_SIGNAL_ADD, 0);
        shmem_long_put_signal_nbi(data + 32 + 8 * me, other, 8, &signal_word, 1, SHMEM_SIGNAL_ADD,
                                  0);
    } else {
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 2 * (uint64_t)(npes - 1));
        shmem_long_put(other, data + 8, 48, 0);
    }
    shmem_quiet();
}

CASE(counter_by_all) {
    shmem_long_put(data + 8 * me, other, 8, 0);
    shmem_fence();
    shmem_long_atomic_inc(&counter, 0);
    if (me == 0) {
        shmem_long_wait_until(&counter, SHMEM_CMP_EQ, npes);
        shmem_long_p(&counter, 0, 0);
        shmem_long_put(other, data, 32, 0);
    }
}

CASE(polls_with_fetch) {
    shmem_long_put(data + 8 * me, other, 8, 0);
    shmem_quiet();
    shmem_long_atomic_add(&counter, 1, 0);
    while (shmem_long_atomic_fetch(&counter, 0) != npes) {
    }
    shmem_long_get(other, data, 32, 0);
}

CASE(tickets) {  // a lock of atomics
    long ticket = shmem_long_atomic_fetch_inc(&counter, 0);
    while (shmem_long_atomic_fetch(&flag, 0) != ticket) {
    }
    long value = shmem_long_g(data, 0);
    shmem_long_p(data, value + 1, 0);
    shmem_quiet();
    shmem_long_atomic_inc(&flag, 0);
}

CASE(locks) {
    for (int i = 0; i < 5; ++i) {
        shmem_set_lock(&lock);
        long value = shmem_long_g(data, 0);
        shmem_long_p(data, value + 1, 0);
        shmem_clear_lock(&lock);
    }
}

CASE(mutexes) {
    static shmemx_mutex_t mutex;
    shmemx_mutex_lock(&mutex, npes - 1);
    shmem_long_p(data, shmem_long_g(data, 0) + 1, 0);
    shmem_quiet();
    shmemx_mutex_unlock(&mutex, npes - 1);
}

CASE(trylocks) {
    static shmemx_rwlock_t rwlock;
    for (int i = 0; i < 20; ++i) {
        while (shmem_test_lock(&lock) != 0) {
        }
        shmem_long_p(data, shmem_long_g(data, 0) + 1, 0);
        shmem_clear_lock(&lock);
        while (shmemx_rwlock_write_trylock(&rwlock, 1) == 0) {
        }
        shmem_long_p(data + 1, shmem_long_g(data + 1, 0) + 1, 0);
        shmemx_rwlock_write_unlock(&rwlock, 1);
    }
}

CASE(waits_for_some) {
    shmem_long_put(data + 8 * me, other, 4, next());
    shmem_fence();
    shmem_long_p(arrived + me, 1, next());
    size_t place = shmem_long_wait_until_any(arrived, (size_t)npes, NULL, SHMEM_CMP_EQ, 1);
    shmem_long_put(other + 8, data + 8 * place, 4, me);
}

CASE(collectives) {
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, data, other, 8);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, other, data, 8, 0);
    shmem_long_fcollect(SHMEM_TEAM_WORLD, data + 16, other, 8);
    shmem_long_put(other + 16, data + 16, 8, me);
    shmem_barrier_all();
    shmem_long_p(data, 1, next());
    shmem_quiet();
    shmem_long_alltoall(SHMEM_TEAM_WORLD, other + 32, data + 16, 2);
}

CASE(teams) {
    shmem_team_t half;
    shmemx_team_split_color(SHMEM_TEAM_WORLD, me % 2, me, NULL, 0, &half);
    int members = shmem_team_n_pes(half);
    int peer =
        shmem_team_translate_pe(half, (shmem_team_my_pe(half) + 1) % members, SHMEM_TEAM_WORLD);
    shmem_long_p(data, 1, peer);
    shmem_quiet();
    shmem_team_sync(half);
    shmem_long_put(other, data, 1, me);
    shmem_team_destroy(half);
}

CASE(active_sets) {
    shmem_long_p(data, 1, next());
    shmem_barrier(0, 0, npes, sync_array);
    shmem_long_put(other, data, 1, me);
}

CASE(contexts) {
    shmem_ctx_t context;
    if (shmem_ctx_create(0, &context) != 0) return;
    shmem_ctx_long_put(context, data, other, 8, next());
    shmem_ctx_fence(context);
    shmem_ctx_long_put(context, data, other, 8, next());
    shmem_ctx_quiet(context);
    shmem_sync_all();
    shmem_long_put(other + 8, data, 8, me);
    shmem_ctx_destroy(context);
}

CASE(nonblocking) {
    static long local[8];
    for (int step = 0; step < 3; ++step) {
        local[0] = step;
        shmem_long_put_nbi(data, local, 8, next());
        shmem_quiet();
        local[0] = -1;
        shmem_barrier_all();
        shmem_long_get_nbi(local, data, 8, next());
        shmem_quiet();
        shmem_long_put(other, local, 8, me);
        shmem_barrier_all();
    }
}

CASE(requests) {
    long local[8] = {0};
    shmemx_req_t request;
    shmemx_long_put_req(data, local, 8, next(), &request);
    shmemx_req_wait(&request, SHMEMX_REMOTE);
    shmem_long_get(local, other, 8, me);
    shmem_sync_all();
    shmem_long_put(other + 8, data, 8, me);
}

CASE(heap) {  // allocation and free are barriers
    for (int i = 0; i < 3; ++i) {
        long* block = shmem_malloc(64 * sizeof(long));
        shmem_long_put(block, other, 8, next());
        shmem_free(block);
    }
}

CASE(own_order) {
    shmem_long_p(data, 1, next());
    shmem_fence();
    shmem_long_p(data, 2, next());
    shmem_quiet();
    (void)shmem_long_g(data, next());
    shmem_long_atomic_inc(&counter, next());
    shmem_long_atomic_inc(&counter, next());
}

CASE(pshmem_names) {  // as a profiling tool makes its calls
    long* block = pshmem_malloc(8 * sizeof(long));
    shmem_long_p(data, 1, next());
    pshmem_barrier_all();
    shmem_long_put(other, data, 1, me);
    void (*const quiet)(void) = pshmem_quiet;
    shmem_long_p(data + 1, 1, next());
    quiet();
    (void)pshmem_long_g(data + 1, next());
    shmem_free(block);
}

CASE(allocations_of_nothing) {  // do not synchronize
    if (me == 0) {
        (void)shmem_malloc(0);
        (void)shmem_calloc(8, 0);
        (void)shmem_realloc(NULL, 0);
        shmem_free(NULL);
        shmem_long_atomic_set(&flag, 1, 1 % npes);
    }
    if (me == 1) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
}

CASE(allocation_without_barrier) {
    if (me != 0) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    long* block = shmem_malloc_with_hints(64, SHMEMX_MALLOC_NO_BARRIER);
    for (int pe = 1; me == 0 && pe < npes; ++pe) shmem_long_atomic_set(&flag, 1, pe);
    shmem_barrier_all();
    shmem_free(block);
}

CASE(finalization_that_is_not_the_last) {  // is a barrier
    shmem_init();
    shmem_long_put_nbi(data, other, 8, next());
    shmem_finalize();
    shmem_long_put(other + 8, data, 8, me);
    shmem_long_put(data + 8, other, 8, next());
}

CASE(reduction_of_nothing) {  // inside the source of a put that goes on
    shmem_long_put_nbi(data, other, 8, next());
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, other + 4, data + 32, 0);
    shmem_quiet();
}

CASE(halves_of_words) {
    static int words[8];
    for (int step = 0; step < 3; ++step) shmem_fence(), shmem_int_p(&words[me], step, 0);
}

CASE(between_blocks) {  // between blocks of a list
    const shmemx_block_t dest[] = {{0, 8}, {72, 16}}, source[] = {{0, 8}, {64, 16}};
    if (me == 0) shmemx_put_indexed(data, dest, 2, other, source, 2, 1);
    if (me == 1) {
        shmem_long_p(&data[1], 1, 1);
        shmem_long_p(&data[8], 1, 1);
        shmem_long_p(&data[11], 1, 1);
    }
    shmem_barrier_all();
    if (me == 1) shmemx_get_indexed(other, source, 2, data, dest, 2, 1);
}
