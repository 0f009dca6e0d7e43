// SPDX-License-Identifier: BSD-3-Clause
//
// contexts: operations that are ordered and completed apart from others (OpenSHMEM 1.6, 9.5).
//
//     oshcc contexts.c -o contexts
//     oshrun -n 4 ./contexts
//
// Each PE sends two streams of blocks, each on a context of its own: quiet on one of them waits
// for that stream alone. A context of a team counts PEs as the team does.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "contexts: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kBlock = 64, kBlocks = 8 };

static int from_left[kBlocks][kBlock], from_right[kBlocks][kBlock];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count, left = (me + pe_count - 1) % pe_count;

    shmem_ctx_t to_right, to_left;
    require(shmem_ctx_create(SHMEM_CTX_PRIVATE, &to_right) == 0, "shmem_ctx_create");
    require(shmem_ctx_create(SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE, &to_left) == 0,
            "shmem_ctx_create with two options");

    static int blocks[kBlocks][kBlock];
    for (int b = 0; b < kBlocks; b++) {
        for (int i = 0; i < kBlock; i++) blocks[b][i] = me * 1000 + b;
        shmem_ctx_int_put_nbi(to_right, from_left[b], blocks[b], kBlock, right);
        shmem_ctx_int_put_nbi(to_left, from_right[b], blocks[b], kBlock, left);
    }
    shmem_ctx_quiet(to_right);  // That stream has arrived; the other one may be under way.
    shmem_ctx_quiet(to_left);   // Now it has arrived, too.
    shmem_barrier_all();
    for (int b = 0; b < kBlocks; b++) {
        for (int i = 0; i < kBlock; i++) {
            require(from_left[b][i] == left * 1000 + b, "the stream from the left");
            require(from_right[b][i] == right * 1000 + b, "the stream from the right");
        }
    }

    // In a team that counts backwards, PE 0 is the last PE of the world.
    shmem_team_t reversed, team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, pe_count - 1, -1, pe_count, NULL, 0, &reversed);
    shmem_ctx_t ctx;
    require(shmem_team_create_ctx(reversed, 0, &ctx) == 0, "shmem_team_create_ctx");
    require(shmem_ctx_get_team(ctx, &team) == 0 && team == reversed, "shmem_ctx_get_team");
    static int counter;
    shmem_atomic_inc(ctx, &counter, 0);
    shmem_ctx_destroy(ctx);  // Completes the operations under way.
    shmem_barrier_all();
    require(counter == (me == pe_count - 1 ? pe_count : 0), "the PE of a team's context");

    shmem_team_destroy(reversed);
    shmem_ctx_destroy(to_left);
    shmem_ctx_destroy(to_right);
    if (me == 0) printf("contexts: right\n");
    shmem_finalize();
    return 0;
}
