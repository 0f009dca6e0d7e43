// SPDX-License-Identifier: BSD-3-Clause
//
// barrier: waiting for one another (OpenSHMEM 1.6, 9.10).
//
//     oshcc barrier.c -o barrier
//     oshrun -n 4 ./barrier
//
// shmem_barrier_all also completes what was put before. shmem_sync_all and shmem_team_sync wait
// for the PEs and make stores visible, but leave puts to shmem_quiet; in return they may be
// faster.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "barrier: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

static int turn, slot, stored;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count, left = (me + pe_count - 1) % pe_count;

    // In each round another PE writes to all; the barrier completes that and keeps rounds apart.
    for (int round = 0; round < 2 * pe_count; round++) {
        if (round % pe_count == me) {
            for (int pe = 0; pe < pe_count; pe++) shmem_int_p(&turn, round + 1, pe);
        }
        shmem_barrier_all();
        require(turn == round + 1, "a value after the barrier");
        shmem_barrier_all();
    }

    // With shmem_sync_all, shmem_quiet must complete the puts.
    shmem_int_p(&slot, me + 1, right);
    shmem_quiet();
    shmem_sync_all();
    require(slot == left + 1, "a value after quiet and sync");

    // A team of the lower half. Stores through shmem_ptr are visible after the sync.
    shmem_team_t half;
    int size = (pe_count + 1) / 2;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size, NULL, 0, &half);
    if (half != SHMEM_TEAM_INVALID) {
        int* other = shmem_ptr(&stored, (me + 1) % size);
        if (other != NULL) *other = 7;
        require(shmem_team_sync(half) == 0, "shmem_team_sync");
        // The PE before this one in the team has stored here, if it could.
        int is_reached = shmem_ptr(&stored, (me + size - 1) % size) != NULL;
        if (is_reached) require(stored == 7, "a store after the sync of a team");
        shmem_team_destroy(half);
    }

    shmem_barrier_all();
    if (me == 0) printf("barrier: right\n");
    shmem_finalize();
    return 0;
}
