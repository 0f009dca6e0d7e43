// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a type-generic name of shmemx.h does not choose the routine of its argument's type in
// C11, or cannot be given a context.
#include <shmemx.h>
#include <stdio.h>

static int failures;

static void check(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "[pe %d] wrong: %s\n", shmem_my_pe(), what);
    ++failures;
}

static long words[8];
static short shorts[8];
static uint64_t signals[2];
static double sums[2];
static double mine;

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    const int right = (me + 1) % npes;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    check(shmem_ctx_create(0, &ctx) == 0, "shmem_ctx_create");

    const long sent[] = {10, 11, 12, 13};
    const short short_sent[] = {20, 21, 22, 23};
    shmemx_ibput(words, sent, 2, 3, 1, 2, right);
    shmemx_ibput(ctx, words + 4, sent, 2, 3, 1, 2, right);
    shmemx_ibput(shorts, short_sent, 3, 2, 2, 2, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    check(words[0] == 10 && words[1] == 0 && words[2] == 13 && words[3] == 0, "ibput of long");
    check(words[4] == 10 && words[5] == 0 && words[6] == 13 && words[7] == 0, "ibput, context");
    check(shorts[0] == 20 && shorts[1] == 21 && shorts[2] == 0 && shorts[3] == 22 &&
              shorts[4] == 23 && shorts[5] == 0,
          "ibput of short");
    long got[4] = {0, 0, 0, 0};
    shmemx_ibget(got, words, 2, 2, 1, 2, right);
    shmemx_ibget(ctx, got + 1, words, 2, 2, 1, 2, right);
    check(got[0] == 10 && got[1] == 10 && got[2] == 13 && got[3] == 13, "ibget");

    shmemx_signal_set(&signals[0], 40, right);
    shmemx_signal_add(&signals[0], 2, right);
    shmemx_signal_set(ctx, &signals[1], 50, right);
    shmemx_signal_add(ctx, &signals[1], 3, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    check(signals[0] == 42, "signals");
    check(signals[1] == 53, "signals, context");

    mine = me + 1;
    check(shmemx_sum_inscan(SHMEM_TEAM_WORLD, &sums[0], &mine, 1) == 0, "sum_inscan");
    check(shmemx_sum_exscan(SHMEM_TEAM_WORLD, &sums[1], &mine, 1) == 0, "sum_exscan");
    check(sums[0] == mine * (mine + 1) / 2, "inclusive sum");
    check(sums[1] == mine * (mine - 1) / 2, "exclusive sum");
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return failures != 0;
}
