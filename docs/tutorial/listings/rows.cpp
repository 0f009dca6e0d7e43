// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 5: the PEs as a grid of two columns, with a team for each row, in C++.
#include <shmem.h>

#include <cstdio>

static int number, sum_of_row, line[64];

int main() {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    shmem_team_t row, column;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, nullptr, 0, &row, nullptr, 0, &column);

    number = 1 << me;
    shmem_sum_reduce(row, &sum_of_row, &number, 1);  // C++ finds the type: int
    shmem_fcollect(SHMEM_TEAM_WORLD, line, &sum_of_row, 1);
    if (me == 0) {
        for (int pe = 0; pe < pe_count; pe++)
            std::printf("PE %d: the sum of its row is %d\n", pe, line[pe]);
    }
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    shmem_finalize();
    return 0;
}
