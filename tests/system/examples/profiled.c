// SPDX-License-Identifier: BSD-3-Clause
//
// A program whose OpenSHMEM calls are known: profiler_test.sh runs it under examples/profiler and
// compares the numbers. Where a loop is repeated `me + 1` times, the PEs differ. With an argument
// it does something short instead: see main().

#include <shmem.h>
#include <stdio.h>
#include <string.h>

static int me, pe_count, right;
static long room[512], more[512], lock, other_lock, zeros[SHMEM_BARRIER_SYNC_SIZE];
static long sync_of_broadcast[SHMEM_BCAST_SYNC_SIZE], sync_of_reduce[SHMEM_REDUCE_SYNC_SIZE];
static int work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static uint64_t signal_word;

static void copy(shmem_ctx_t ctx) {
    void *dest = room, *source = more;
    for (int i = 0; i <= me; i++) shmem_int_put(dest, source, 10, right);
    shmem_put(ctx, room, more, 3, right);
    shmem_put64(dest, source, 2, right);
    shmem_ctx_putmem(ctx, dest, source, 7, right);
    shmem_double_p(dest, 1.0, right);
    shmem_short_iput(dest, source, 2, 3, 4, right);
    shmem_iput128(dest, source, 1, 1, 1, right);
    shmem_char_ibput(dest, source, 2, 4, 2, 3, right);
    for (int i = 0; i <= me; i++) shmem_int_get(dest, source, 5, right);
    shmem_getmem(dest, source, 0, right);
    shmem_float_g(dest, right);
    shmem_ctx_float_g(ctx, dest, right);
    shmem_uint16_iget(dest, source, 1, 1, 3, right);
    shmem_ibget64(dest, source, 1, 1, 1, 2, right);
    shmem_longlong_put_nbi(dest, source, 2, right);
    shmem_getmem_nbi(dest, source, 9, right);
    shmem_int_put_signal(dest, source, 2, &signal_word, 1, SHMEM_SIGNAL_ADD, right);
    shmem_putmem_signal_nbi(dest, source, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, right);
    shmem_signal_add(&signal_word, 1, right);
    shmem_signal_add(ctx, &signal_word, 1, right);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 4);
    shmem_signal_fetch(&signal_word);
    shmem_signal_set(&signal_word, 9, right);
}

static void update(shmem_ctx_t ctx) {
    void *dest = room, *fetch = more;
    for (int i = 0; i <= me; i++) shmem_int_atomic_inc(dest, 0);
    shmem_long_atomic_fetch_add(dest, 2, right);
    shmem_ctx_size_atomic_compare_swap(ctx, dest, 1, 2, right);
    shmem_uint32_atomic_fetch_xor(dest, 1, right);
    shmem_double_atomic_fetch_nbi(fetch, dest, right);
    shmem_ulong_atomic_and(dest, 1, right);
    shmem_float_atomic_swap(dest, 1, right);
    shmem_int_fadd(dest, 1, right);
}

static void wait_and_order(shmem_ctx_t ctx) {
    size_t indices[2];
    int values[2] = {0, 0};
    shmem_barrier_all();
    memset(room, 0, sizeof room);
    shmem_int_wait_until((int*)room, SHMEM_CMP_EQ, 0);
    shmem_long_test(room, SHMEM_CMP_NE, 0);
    shmem_test(room, SHMEM_CMP_NE, 0);
    shmem_int_wait_until_all((int*)room, 2, NULL, SHMEM_CMP_EQ, 0);
    shmem_int_test_some_vector((int*)room, 2, indices, NULL, SHMEM_CMP_EQ, values);
    shmem_fence();
    shmem_quiet();
    shmem_ctx_quiet(ctx);
    shmem_pe_quiet(&right, 1);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    if (me == 0 && shmem_test_lock(&other_lock) == 0) shmem_clear_lock(&other_lock);
}

static void work_together(shmem_team_t team) {
    void *dest = room, *source = more;
    shmem_sync_all();
    shmem_sync(team);
    shmem_barrier(0, 0, pe_count, zeros);
    shmem_int_broadcast(team, dest, source, 4, 0);
    shmem_broadcast32(dest, source, 3, pe_count - 1, 0, 0, pe_count, sync_of_broadcast);
    shmem_char_collect(team, dest, source, (size_t)me + 1);
    shmem_fcollectmem(team, dest, source, 3);
    shmem_int_alltoall(team, dest, source, 2);
    shmem_alltoallsmem(team, dest, source, 1, 1, 1);
    shmem_int_sum_reduce(team, dest, source, 5);
    shmem_barrier_all();
    shmem_int_sum_to_all(dest, source, 2, 0, 0, pe_count, work, sync_of_reduce);
    shmem_double_max_reduce(team, dest, source, 1);
    shmem_long_sum_exscan(team, dest, source, 1);
}

static void run_all(void) {
    shmem_init();
    me = shmem_my_pe();
    pe_count = shmem_n_pes();
    right = (me + 1) % pe_count;
    shmem_ctx_t ctx;
    shmem_team_t team;
    void* memory = shmem_malloc(1000);
    shmem_ctx_create(0, &ctx);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pe_count, NULL, 0, &team);
    copy(ctx);
    update(ctx);
    wait_and_order(ctx);
    work_together(team);
    shmem_pcontrol(0);
    shmem_int_p((int*)room, 1, right);
    shmem_barrier_all();
    shmem_pcontrol(1);
    shmem_team_destroy(team);
    shmem_ctx_destroy(ctx);
    shmem_free(memory);
    shmem_finalize();
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "all";
    int* dest = (int*)room;
    if (strcmp(what, "all") == 0) {
        run_all();
    } else if (strcmp(what, "nested") == 0) {  // Two initializations: one table, at the end.
        int provided;
        shmem_init();
        shmem_init_thread(SHMEM_THREAD_SINGLE, &provided);
        shmem_int_p(dest, 1, 0);
        shmem_finalize();
        shmem_int_p(dest, 1, 0);
        shmem_finalize();
    } else if (strcmp(what, "old") == 0) {  // start_pes() needs no finalization.
        start_pes(0);
        shmem_int_p(dest, 1, 0);
    } else {  // "flush": the last PE shows what it has so far.
        shmem_init();
        shmem_int_p(dest, 1, 0);
        if (shmem_my_pe() == shmem_n_pes() - 1) shmem_pcontrol(2);
        shmem_int_p(dest, 1, 0);
        shmem_finalize();
    }
    return 0;
}
