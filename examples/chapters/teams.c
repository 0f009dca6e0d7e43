// SPDX-License-Identifier: BSD-3-Clause
//
// teams: groups of PEs (OpenSHMEM 1.6, 9.4).
//
//     oshcc teams.c -o teams
//     oshrun -n 4 ./teams
//
// A team numbers its PEs from 0. Collectives and contexts work on a team; a PE may be in many of
// them.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "teams: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

static void check_evens(void) {
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    shmem_team_config_t config = {.num_contexts = 1}, found = {.num_contexts = 0};
    shmem_team_t evens;
    int status = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pe_count + 1) / 2, &config,
                                          SHMEM_TEAM_NUM_CONTEXTS, &evens);
    require(status == 0, "shmem_team_split_strided");
    if (me % 2 != 0) {
        require(evens == SHMEM_TEAM_INVALID, "a PE that is not in the team");
        require(shmem_team_my_pe(evens) == -1, "a number in no team");
        return;
    }
    require(shmem_team_my_pe(evens) == me / 2, "shmem_team_my_pe");
    require(shmem_team_n_pes(evens) == (pe_count + 1) / 2, "shmem_team_n_pes");
    require(shmem_team_translate_pe(evens, me / 2, SHMEM_TEAM_WORLD) == me, "to the world");
    if (pe_count > 1)
        require(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1, evens) == -1, "from the world");
    shmem_team_get_config(evens, SHMEM_TEAM_NUM_CONTEXTS, &found);
    require(found.num_contexts == 1, "shmem_team_get_config");

    static int source, sum;
    source = me;
    shmem_int_sum_reduce(evens, &sum, &source, 1);
    int half = (pe_count - 1) / 2;
    require(sum == half * (half + 1), "a reduction of the team");
    shmem_team_destroy(evens);
}

// The PEs as a grid of three columns: a team for my row and one for my column.
static void check_grid(void) {
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    shmem_team_t row, column;
    require(shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, NULL, 0, &row, NULL, 0, &column) == 0,
            "shmem_team_split_2d");
    require(shmem_team_my_pe(row) == me % 3, "the place in the row");
    require(shmem_team_my_pe(column) == me / 3, "the place in the column");
    require(shmem_team_n_pes(column) == (pe_count - me % 3 + 2) / 3, "the height of the column");
    shmem_team_destroy(column);
    shmem_team_destroy(row);
}

int main(void) {
    shmem_init();
    check_evens();
    check_grid();
    // The PEs whose memory loads and stores can reach. shmem_team_ptr takes numbers of the team.
    static int number;
    number = shmem_my_pe();
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_team_n_pes(SHMEM_TEAM_SHARED); pe++) {
        const int* other = shmem_team_ptr(SHMEM_TEAM_SHARED, &number, pe);
        int in_world = shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD);
        require(other != NULL && *other == in_world, "shmem_team_ptr");
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("teams: right\n");
    shmem_finalize();
    return 0;
}
