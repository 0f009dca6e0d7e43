// SPDX-License-Identifier: BSD-3-Clause
//
// broadcast: one PE tells all others (OpenSHMEM 1.6, 9.10).
//
//     oshcc broadcast.c -o broadcast
//     oshrun -n 4 ./broadcast
//
// The source of the root comes to dest of all PEs of the team, also to its own.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "broadcast: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kCount = 1000 };

static double source[kCount], dest[kCount];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();

    // Each PE is the root once.
    for (int root = 0; root < pe_count; root++) {
        if (me == root) {
            for (int i = 0; i < kCount; i++) source[i] = root + i / 1000.0;
        }
        // The next root may write dest as soon as it calls the next broadcast: wait for all PEs.
        shmem_sync_all();
        shmem_double_broadcast(SHMEM_TEAM_WORLD, dest, source, kCount, root);
        for (int i = 0; i < kCount; i++) require(dest[i] == root + i / 1000.0, "a broadcast");
    }

    // Settings, that one PE has read, as bytes.
    static struct settings {
        int steps;
        double width;
    } settings;
    if (me == 0) settings = (struct settings){.steps = 12, .width = 0.5};
    shmem_broadcastmem(SHMEM_TEAM_WORLD, &settings, &settings, sizeof settings, 0);
    require(settings.steps == 12 && settings.width == 0.5, "settings in place");

    // Among the odd PEs the root counts in the team: 0 is PE 1 of the world.
    shmem_team_t odds;
    static int word;
    word = me;
    if (pe_count > 1) {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, pe_count / 2, NULL, 0, &odds);
        if (odds != SHMEM_TEAM_INVALID) {
            static int answer;
            shmem_broadcast(odds, &answer, &word, 1, 0);
            require(answer == 1, "a broadcast in a team");
            shmem_team_destroy(odds);
        }
    }

    if (me == 0) printf("broadcast: right\n");
    shmem_finalize();
    return 0;
}
