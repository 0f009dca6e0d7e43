// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 5: lists of different lengths become one list, which every PE gets.
#include <shmem.h>
#include <stdio.h>

enum { kCountMax = 1000 };

static int mine[kCountMax], all[kCountMax];
static size_t count, start;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    count = (size_t)me + 1;  // this PE has me + 1 numbers
    for (size_t i = 0; i < count; i++) mine[i] = 10 * me + (int)i;

    // The sum over the PEs before this one: the place of this PE's list in the whole.
    shmem_size_sum_exscan(SHMEM_TEAM_WORLD, &start, &count, 1);
    shmem_int_collect(SHMEM_TEAM_WORLD, all, mine, count);

    if (me == pe_count - 1) {
        printf("the list of PE %d starts at %zu:", me, start);
        for (size_t i = 0; i < start + count; i++) printf(" %d", all[i]);
        printf("\n");
    }
    shmem_finalize();
    return 0;
}
