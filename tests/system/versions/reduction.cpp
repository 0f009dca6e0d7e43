// SPDX-License-Identifier: BSD-3-Clause
//
// A program in C++ that every compiler takes: overloads of shmem.h, templates of shmemx.h.
#include <shmem.h>

#include <cstdio>

int main() {
    static long mine;
    static long sum;
    shmem_init();
    mine = shmem_my_pe() + 1;
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
    const long npes = shmem_n_pes();
    const bool is_right = sum == npes * (npes + 1) / 2;
    if (!is_right) std::printf("PE %d: the sum is %ld\n", shmem_my_pe(), sum);
    shmem_finalize();
    return is_right ? 0 : 1;
}
