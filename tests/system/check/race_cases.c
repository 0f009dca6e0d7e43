// SPDX-License-Identifier: BSD-3-Clause
//
// Races: the accesses of the lines marked A and B conflict, and nothing orders them. PEs that a
// case does not name only take part in collectives.
#include <shmemx.h>

#include "cases.h"

static long data[64];
static long other[64];
static long flag;
static uint64_t signal_word;
static long lock;
static long psync[SHMEM_BARRIER_SYNC_SIZE];

CASE(put_put) {
    if (me < 2) shmem_long_p(&data[3], me, 0);  // A B
}

CASE(put_get) {
    if (me == 0) shmem_long_p(data, 1, 1);     // A
    if (me == 1) (void)shmem_long_g(data, 1);  // B
}

CASE(put_get_third) {
    if (me == 0) shmem_long_put(data, other, 8, 2);  // A
    if (me == 1) shmem_long_get(other, data, 8, 2);  // B
}

CASE(put_source) {                                        // the target's own put reads what arrives
    if (me == 0) shmem_long_put(data, other, 4, 1);       // A
    if (me == 1) shmem_long_put(other + 32, data, 4, 0);  // B
}

CASE(get_dest) {  // the target's own get writes where a put arrives
    if (me == 0) shmem_long_put(data, other, 4, 1);       // A
    if (me == 1) shmem_long_get(data, other + 32, 4, 0);  // B
}

CASE(half_words) {  // the second int of a word; no PE writes the first
    static int pair[2];
    if (me < 2) shmem_int_p(&pair[1], me, 0);  // A B
}

CASE(overlap) {                                          // blocks that share one element
    if (me == 0) shmem_long_put(data, other, 8, 0);      // A
    if (me == 1) shmem_long_put(data + 7, other, 8, 0);  // B
}

CASE(strided) {
    if (me == 0) shmem_long_iput(data, other, 2, 1, 8, 0);  // A
    if (me == 1) shmem_long_p(&data[6], 1, 0);              // B
}

CASE(blocks) {
    if (me == 0) shmem_long_ibput(data, other, 4, 2, 2, 3, 0);  // A
    if (me == 1) shmem_long_p(&data[9], 1, 0);                  // B
}

CASE(indexed) {  // the second block of the list
    const shmemx_block_t dest[] = {{0, 8}, {72, 16}}, source[] = {{0, 24}};
    if (me == 0) shmemx_put_indexed(data, dest, 2, other, source, 1, 0);  // A
    if (me == 1) shmem_long_p(&data[10], 1, 0);                           // B
}

CASE(indexed_source) {
    const shmemx_block_t dest[] = {{0, 16}}, source[] = {{8, 8}, {64, 8}};
    if (me == 0) shmem_long_p(&data[8], 1, 1);                            // A
    if (me == 1) shmemx_get_indexed(other, dest, 1, data, source, 2, 1);  // B
}

CASE(heap) {
    long* block = shmem_malloc(8 * sizeof(long));
    if (me < 2) shmem_long_p(block + 1, me, 0);  // A B
    shmem_free(block);
}

CASE(flag_without_fence) {
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_put(other, data, 8, 1);  // B
    }
}

CASE(put_flag_without_fence) {  // the flag by a put
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_p(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_p(&data[2], 0, 1);  // B
    }
}

CASE(fence_too_late) {
    if (me == 0) {
        shmem_fence();
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_put(other, data, 8, 1);  // B
    }
}

CASE(fence_for_another_pe) {  // a fence does not complete; PE 2 tells PE 1
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_fence();
        shmem_long_atomic_set(&flag, 1, 2);
    }
    if (me == 2) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_get(other, data, 8, 1);  // B
    }
}

CASE(sync_is_no_barrier) {
    if (me == 0) shmem_long_put(data, other, 8, 1);  // A
    shmem_sync_all();
    if (me == 1) shmem_long_put(other, data, 8, 1);  // B
}

CASE(context_not_quiet) {  // the barrier completes the default context only
    shmem_ctx_t context;
    if (shmem_ctx_create(0, &context) != 0) return;
    if (me == 0) shmem_ctx_long_put(context, data, other, 8, 1);  // A
    shmem_barrier_all();
    if (me == 1) shmem_long_put(other, data, 8, 1);  // B
    shmem_ctx_destroy(context);
}

CASE(signal_of_another_put) {  // the signal says nothing of the first put
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_put_signal(data + 8, other, 8, &signal_word, 1, SHMEM_SIGNAL_SET, 1);
    }
    if (me == 1) {
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
        shmem_long_put(other, data, 8, 1);  // B
    }
}

CASE(signal_not_waited_for) {
    if (me == 0) shmem_long_put_signal(data, other, 8, &signal_word, 1, SHMEM_SIGNAL_SET, 1);  // A
    if (me == 1) shmem_long_put(other, data, 8, 1);                                            // B
}

CASE(own_put_then_get) {
    long value = 7;
    if (me == 0) {
        shmem_long_put(data, &value, 1, 1);  // A
        shmem_long_get(&value, data, 1, 1);  // B
    }
}

CASE(own_fence_then_get) {
    if (me == 0) {
        shmem_long_p(data, 7, 1);  // A
        shmem_fence();
        (void)shmem_long_g(data, 1);  // B
    }
}

CASE(own_put_then_put) {
    if (me == 0) {
        shmem_long_p(data, 1, 1);  // A
        shmem_long_p(data, 2, 1);  // B
    }
}

CASE(atomic_and_put) {
    if (me == 0) shmem_long_atomic_add(data, 1, 1);  // A
    if (me == 1) shmem_long_p(data, 5, 1);           // B
}

CASE(atomic_and_get) {
    if (me == 0) shmem_long_atomic_inc(data, 1);  // A
    if (me == 2) (void)shmem_long_g(data, 1);     // B
}

CASE(reset_of_counter) {                          // one PE resets what others still count in
    if (me != 1) shmem_long_atomic_inc(data, 0);  // A
    if (me == 1) shmem_long_p(data, 0, 0);        // B
}

CASE(lock_on_one_side) {
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_long_p(data, 1, 2);  // A
        shmem_clear_lock(&lock);
    }
    if (me == 1) shmem_long_p(data, 2, 2);  // B
}

CASE(two_locks) {
    static long locks[2];
    if (me > 1) return;
    shmem_set_lock(&locks[me]);
    shmem_long_p(data, 1, 0);  // A B
    shmem_clear_lock(&locks[me]);
}

CASE(dest_of_reduction) {  // another PE may still be in the reduction
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, data, other, 1);  // A
    if (me == 0) shmem_long_p(data, 1, 1);                    // B
}

CASE(source_of_broadcast) {
    if (me == 1) shmem_long_p(data, 1, 0);                      // A
    shmem_long_broadcast(SHMEM_TEAM_WORLD, other, data, 8, 0);  // B
}

CASE(barrier_of_others) {  // PE 2 is not in the barrier
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    if (me == 0) shmem_long_p(data, 1, 2);  // A
    if (me < 2) shmem_barrier(0, 0, 2, psync);
    if (me == 2) shmem_long_put(other, data, 1, 2);  // B
}

CASE(team_of_others) {
    shmem_team_t pair;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &pair);
    if (me == 0) shmem_long_p(data, 1, 2);  // A
    shmem_quiet();
    if (pair != SHMEM_TEAM_INVALID) shmem_team_sync(pair);
    if (me == 2) shmem_long_put(other, data, 1, 2);  // B
}

CASE(nbi_source_by_call) {
    long local[8] = {0};
    if (me == 0) {
        shmem_long_put_nbi(data, local, 8, 1);  // A
        shmem_long_get(local, other, 1, 1);     // B
        shmem_quiet();
    }
}

CASE(nbi_source_by_store) {
    static long local[8];
    if (me == 0) {
        shmem_long_put_nbi(data, local, 8, 1);  // A
        local[3] = 1;
        shmem_quiet();  // B
    }
}

CASE(nbi_dest_used) {
    long local[8];
    if (me == 0) {
        shmem_long_get_nbi(local, data, 8, 1);  // A
        shmem_long_put(other, local, 8, 1);     // B
        shmem_quiet();
    }
}

CASE(nbi_fetch_used) {
    long before = 0;
    if (me == 0) {
        shmem_long_atomic_fetch_add_nbi(&before, data, 1, 1);  // A
        shmem_long_put(other, &before, 1, 1);                  // B
        shmem_quiet();
    }
}

CASE(nbi_get_overwritten) {  // the PE tells before its get is complete
    if (me == 0) {
        long local[8];
        shmem_long_get_nbi(local, data, 8, 1);  // A
        shmem_long_atomic_set(&flag, 1, 1);
        shmem_quiet();
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_p(data, 1, 1);  // B
    }
}

CASE(request_not_waited_for) {
    long local[8] = {0};
    shmemx_req_t request;
    if (me == 0) {
        shmemx_long_put_req(data, local, 8, 1, &request);  // A
        shmem_long_get(local, other, 1, 1);                // B
        shmemx_req_wait(&request, SHMEMX_REMOTE);
    }
}
