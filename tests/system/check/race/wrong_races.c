// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong programs, one for each function: the accesses of the lines marked A and B race. wrong_races
// NAME runs one; race_test.py has the diagnosis that it expects. PEs above 1 only take part in
// collectives, unless a program says otherwise.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

static long data[64];
static long other[64];
static long flag;
static uint64_t signal_word;
static long lock;
static long psync[SHMEM_BARRIER_SYNC_SIZE];
static int me;

static void put_put(void) {
    if (me < 2) shmem_long_p(&data[3], me, 0);  // A B
}

static void put_get(void) {
    if (me == 0) shmem_long_p(data, 1, 1);  // A
    if (me == 1) (void)shmem_long_g(data, 1);  // B
}

static void put_get_third(void) {
    if (me == 0) shmem_long_put(data, other, 8, 2);  // A
    if (me == 1) shmem_long_get(other, data, 8, 2);  // B
}

static void put_source(void) {  // the target's own put reads what arrives
    if (me == 0) shmem_long_put(data, other, 4, 1);  // A
    if (me == 1) shmem_long_put(other, data, 4, 0);  // B
}

static void get_dest(void) {  // the target's own get writes where a put arrives
    if (me == 0) shmem_long_put(data, other, 4, 1);  // A
    if (me == 1) shmem_long_get(data, other + 32, 4, 0);  // B
}

static void half_words(void) {  // the second int of a word; the first is nobody's
    static int pair[2];
    if (me < 2) shmem_int_p(&pair[1], me, 0);  // A B
}

static void overlap(void) {  // blocks that share one element
    if (me == 0) shmem_long_put(data, other, 8, 0);  // A
    if (me == 1) shmem_long_put(data + 7, other, 8, 0);  // B
}

static void strided(void) {
    if (me == 0) shmem_long_iput(data, other, 2, 1, 8, 0);  // A
    if (me == 1) shmem_long_p(&data[6], 1, 0);  // B
}

static void blocks(void) {
    if (me == 0) shmem_long_ibput(data, other, 4, 2, 2, 3, 0);  // A
    if (me == 1) shmem_long_p(&data[9], 1, 0);  // B
}

static void heap(void) {
    long* block = shmem_malloc(8 * sizeof(long));
    if (me < 2) shmem_long_p(block + 1, me, 0);  // A B
    shmem_barrier_all();
    shmem_free(block);
}

static void flag_without_fence(void) {
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_put(other, data, 8, 1);  // B
    }
}

static void put_flag_without_fence(void) {  // the flag by a put
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_p(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_p(&data[2], 0, 1);  // B
    }
}

static void fence_too_late(void) {
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

static void fence_for_another_pe(void) {  // a fence does not complete; PE 2 tells PE 1
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

static void sync_is_no_barrier(void) {
    if (me == 0) shmem_long_put(data, other, 8, 1);  // A
    shmem_sync_all();
    if (me == 1) shmem_long_put(other, data, 8, 1);  // B
}

static void context_not_quiet(void) {  // the barrier completes the default context only
    shmem_ctx_t context;
    if (shmem_ctx_create(0, &context) != 0) return;
    if (me == 0) shmem_ctx_long_put(context, data, other, 8, 1);  // A
    shmem_barrier_all();
    if (me == 1) shmem_long_put(other, data, 8, 1);  // B
    shmem_ctx_destroy(context);
}

static void signal_of_another_put(void) {  // the signal says nothing of the first put
    if (me == 0) {
        shmem_long_put(data, other, 8, 1);  // A
        shmem_long_put_signal(data + 8, other, 8, &signal_word, 1, SHMEM_SIGNAL_SET, 1);
    }
    if (me == 1) {
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
        shmem_long_put(other, data, 8, 1);  // B
    }
}

static void signal_not_waited_for(void) {
    if (me == 0)
        shmem_long_put_signal(data, other, 8, &signal_word, 1, SHMEM_SIGNAL_SET, 1);  // A
    if (me == 1) shmem_long_put(other, data, 8, 1);  // B
}

static void own_put_then_get(void) {
    long value = 7;
    if (me == 0) {
        shmem_long_put(data, &value, 1, 1);  // A
        shmem_long_get(&value, data, 1, 1);  // B
    }
}

static void own_fence_then_get(void) {
    if (me == 0) {
        shmem_long_p(data, 7, 1);  // A
        shmem_fence();
        (void)shmem_long_g(data, 1);  // B
    }
}

static void own_put_then_put(void) {
    if (me == 0) {
        shmem_long_p(data, 1, 1);  // A
        shmem_long_p(data, 2, 1);  // B
    }
}

static void atomic_and_put(void) {
    if (me == 0) shmem_long_atomic_add(data, 1, 1);  // A
    if (me == 1) shmem_long_p(data, 5, 1);  // B
}

static void atomic_and_get(void) {
    if (me == 0) shmem_long_atomic_inc(data, 1);  // A
    if (me == 2) (void)shmem_long_g(data, 1);  // B
}

static void reset_of_counter(void) {  // one PE resets what others still count in
    if (me != 1) shmem_long_atomic_inc(data, 0);  // A
    if (me == 1) shmem_long_p(data, 0, 0);  // B
}

static void lock_on_one_side(void) {
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_long_p(data, 1, 2);  // A
        shmem_clear_lock(&lock);
    }
    if (me == 1) shmem_long_p(data, 2, 2);  // B
}

static void two_locks(void) {
    static long locks[2];
    if (me > 1) return;
    shmem_set_lock(&locks[me]);
    shmem_long_p(data, 1, 0);  // A B
    shmem_clear_lock(&locks[me]);
}

static void dest_of_reduction(void) {  // another PE may still be in the reduction
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, data, other, 1);  // A
    if (me == 0) shmem_long_p(data, 1, 1);  // B
}

static void source_of_broadcast(void) {
    if (me == 1) shmem_long_p(data, 1, 0);  // A
    shmem_long_broadcast(SHMEM_TEAM_WORLD, other, data, 8, 0);  // B
}

static void barrier_of_others(void) {  // PE 2 is not in the barrier
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    if (me == 0) shmem_long_p(data, 1, 2);  // A
    if (me < 2) shmem_barrier(0, 0, 2, psync);
    if (me == 2) shmem_long_put(other, data, 1, 2);  // B
}

static void team_of_others(void) {
    shmem_team_t pair;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &pair);
    if (me == 0) shmem_long_p(data, 1, 2);  // A
    shmem_quiet();
    if (pair != SHMEM_TEAM_INVALID) shmem_team_sync(pair);
    if (me == 2) shmem_long_put(other, data, 1, 2);  // B
}

static void nbi_source_by_call(void) {
    long local[8] = {0};
    if (me == 0) {
        shmem_long_put_nbi(data, local, 8, 1);  // A
        shmem_long_get(local, other, 1, 1);  // B
        shmem_quiet();
    }
}

static void nbi_source_by_store(void) {
    static long local[8];
    if (me == 0) {
        shmem_long_put_nbi(data, local, 8, 1);  // A
        local[3] = 1;
        shmem_quiet();  // B
    }
}

static void nbi_dest_used(void) {
    long local[8];
    if (me == 0) {
        shmem_long_get_nbi(local, data, 8, 1);  // A
        shmem_long_put(other, local, 8, 1);  // B
        shmem_quiet();
    }
}

static void nbi_fetch_used(void) {
    long before = 0;
    if (me == 0) {
        shmem_long_atomic_fetch_add_nbi(&before, data, 1, 1);  // A
        shmem_long_put(other, &before, 1, 1);  // B
        shmem_quiet();
    }
}

static void nbi_get_overwritten(void) {  // the PE tells before its get is complete
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

static void request_not_waited_for(void) {
    long local[8] = {0};
    shmemx_req_t request;
    if (me == 0) {
        shmemx_long_put_req(data, local, 8, 1, &request);  // A
        shmem_long_get(local, other, 1, 1);  // B
        shmemx_req_wait(&request, SHMEMX_REMOTE);
    }
}

static const struct {
    const char* name;
    void (*run)(void);
} kPrograms[] = {
#define PROGRAM(NAME) {#NAME, NAME}
    PROGRAM(put_put), PROGRAM(put_get), PROGRAM(put_get_third), PROGRAM(put_source),
    PROGRAM(get_dest), PROGRAM(half_words), PROGRAM(overlap), PROGRAM(strided), PROGRAM(blocks),
    PROGRAM(heap), PROGRAM(flag_without_fence), PROGRAM(put_flag_without_fence),
    PROGRAM(fence_too_late), PROGRAM(fence_for_another_pe), PROGRAM(sync_is_no_barrier),
    PROGRAM(context_not_quiet), PROGRAM(signal_of_another_put), PROGRAM(signal_not_waited_for),
    PROGRAM(own_put_then_get), PROGRAM(own_fence_then_get), PROGRAM(own_put_then_put),
    PROGRAM(atomic_and_put), PROGRAM(atomic_and_get), PROGRAM(reset_of_counter),
    PROGRAM(lock_on_one_side), PROGRAM(two_locks), PROGRAM(dest_of_reduction),
    PROGRAM(source_of_broadcast), PROGRAM(barrier_of_others), PROGRAM(team_of_others),
    PROGRAM(nbi_source_by_call), PROGRAM(nbi_source_by_store), PROGRAM(nbi_dest_used),
    PROGRAM(nbi_fetch_used), PROGRAM(nbi_get_overwritten), PROGRAM(request_not_waited_for),
};

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    shmem_init();
    me = shmem_my_pe();
    for (size_t i = 0; i < sizeof kPrograms / sizeof *kPrograms; ++i)
        if (strcmp(kPrograms[i].name, argv[1]) == 0) kPrograms[i].run();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
