// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 5: pi, as the integral of 4 / (1 + x^2) from 0 to 1. Every PE adds a part.
#include <shmem.h>
#include <stdio.h>

enum { kSlices = 1000000 };

static double part, pi;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    for (int i = me; i < kSlices; i += pe_count) {
        double x = (i + 0.5) / kSlices;
        part += 4 / (1 + x * x) / kSlices;
    }
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &pi, &part, 1);
    if (me == 0) printf("pi is about %.6f\n", pi);
    shmem_finalize();
    return 0;
}
