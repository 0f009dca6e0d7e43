// SPDX-License-Identifier: BSD-3-Clause
//
// sessions: telling the library how operations will come (OpenSHMEM 1.6, 9.9).
//
//     oshcc sessions.c -o sessions
//     oshrun -n 4 ./sessions
//
// Many small updates fill a histogram that lies on all PEs. The session tells the library how many
// updates will come, and that it may hold them back and send them together. A session changes the
// speed, never the result.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "sessions: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kBins = 64, kSamples = 20000 };

static unsigned long histogram[kBins];  // PE p has the bins p * kBins and following.

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    unsigned long bin_count = (unsigned long)pe_count * kBins, state = (unsigned long)me + 1;

    shmem_ctx_t ctx;
    require(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "shmem_ctx_create");
    shmem_ctx_session_config_t config = {.total_ops = kSamples};
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    for (int i = 0; i < kSamples; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;  // Random numbers.
        unsigned long bin = (state >> 33) % bin_count;
        shmem_ulong_atomic_inc(&histogram[bin % kBins], (int)(bin / kBins));
        shmem_ctx_ulong_atomic_inc(ctx, &histogram[bin % kBins], (int)(bin / kBins));
    }
    shmem_ctx_session_stop(ctx);  // The updates held back are issued, but not yet complete.
    shmem_ctx_quiet(ctx);         // Now it is.
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();

    static unsigned long mine, all;
    for (int i = 0; i < kBins; i++) mine += histogram[i];
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1);
    require(all == 2ul * kSamples * (unsigned long)pe_count, "the number of samples");

    if (me == 0) printf("sessions: right, %lu updates\n", all);
    shmem_finalize();
    return 0;
}
