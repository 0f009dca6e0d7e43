// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a team takes private memory that grows with its members: the bytes that malloc has
// given out are compared before and after, for teams of all PEs whose members are contiguous, in
// reverse order, every second one, in blocks, and in no order. (The last ones share one list for
// each node.) Prints the most that a member has for each team.
#include <malloc.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTeams = 8, kBytesMax = 2048 };

static size_t allocated(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// The key of a PE, by which the teams are ordered.
static int key_of(const char* order, int pe, int npes) {
    if (order[0] == 'r') return npes - pe;
    if (order[0] == 'n') return (int)((pe * 7919L) % 10007);  // no order
    return pe;
}

// Assigns the PE to one of two teams.
static int color_of(const char* order, int pe) {
    if (order[0] == 's') return pe % 2;
    return order[0] == 'b' ? pe / 4 % 2 : 0;
}

static void measure(const char* order) {
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_team_t teams[kTeams];
    size_t before = 0;
    for (int i = -1; i < kTeams; ++i) {  // The first team makes tables of the library larger.
        shmem_team_t* const team = teams + (i < 0 ? 0 : i);
        if (i == 0) before = allocated();
        if (shmemx_team_split_color(SHMEM_TEAM_WORLD, color_of(order, me), key_of(order, me, npes),
                                    NULL, 0, team) != 0) {
            fprintf(stderr, "PE %d: no team\n", me);
            shmem_global_exit(1);
        }
        shmem_team_sync(*team);
        if (i < 0) shmem_team_destroy(*team);
    }
    const int members = shmem_team_n_pes(teams[0]);
    const long bytes = ((long)allocated() - (long)before) / kTeams;
    static long mine, most;  // symmetric
    mine = bytes;
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, &most, &mine, 1);
    if (me == 0)
        printf("%-12s %3d members: at most %ld private bytes a team\n", order, members, most);
    if (bytes > kBytesMax) {
        fprintf(stderr, "PE %d: a team (%s) of %d takes %ld private bytes, more than %d\n", me,
                order, members, bytes, kBytesMax);
        shmem_global_exit(1);
    }
    for (int i = 0; i < kTeams; ++i) shmem_team_destroy(teams[i]);
}

int main(void) {
    shmem_init();
    measure("contiguous");
    measure("reverse");
    measure("strided");
    measure("blocks");
    measure("none");
    shmem_finalize();
    return 0;
}
