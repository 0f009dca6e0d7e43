// SPDX-License-Identifier: BSD-3-Clause
//
// reductions: one result from the values of all PEs (OpenSHMEM 1.6, 9.10).
//
//     oshcc reductions.c -o reductions
//     oshrun -n 4 ./reductions
//
// Sums, products, extremes and bits. All PEs get the same result, to the last bit.

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "reductions: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kCount = 100 };

static double x[kCount], y[kCount], part, product;
static int numbers[2], extremes[2];
static uint32_t mask, all_bits, common_bits, odd_bits;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();

    // The scalar product of two vectors that are spread over the PEs.
    for (int i = 0; i < kCount; i++) {
        x[i] = me * kCount + i;
        y[i] = 2;
        part += x[i] * y[i];
    }
    require(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &product, &part, 1) == 0, "its value");
    double n = (double)pe_count * kCount;
    require(product == n * (n - 1), "shmem_double_sum_reduce");

    numbers[0] = me * me - 3 * me;
    numbers[1] = -numbers[0];
    int largest = 0, smallest = 0;
    for (int pe = 0; pe < pe_count; pe++) {
        int number = pe * pe - 3 * pe;
        if (number > largest) largest = number;
        if (number < smallest) smallest = number;
    }
    shmem_max_reduce(SHMEM_TEAM_WORLD, extremes, numbers, 2);
    require(extremes[0] == largest && extremes[1] == -smallest, "shmem_max_reduce");
    shmem_sync_all();
    shmem_min_reduce(SHMEM_TEAM_WORLD, extremes, numbers, 2);
    require(extremes[0] == smallest && extremes[1] == -largest, "shmem_min_reduce");

    mask = 1u << (me % 31) | 1u << 31;
    shmem_uint32_or_reduce(SHMEM_TEAM_WORLD, &all_bits, &mask, 1);
    shmem_uint32_and_reduce(SHMEM_TEAM_WORLD, &common_bits, &mask, 1);
    shmem_uint32_xor_reduce(SHMEM_TEAM_WORLD, &odd_bits, &mask, 1);
    require(all_bits >> 31 == 1 && (all_bits & 1) == 1, "shmem_uint32_or_reduce");
    require(common_bits == (pe_count == 1 ? mask : 1u << 31), "shmem_uint32_and_reduce");
    require(odd_bits >> 31 == (uint32_t)pe_count % 2, "shmem_uint32_xor_reduce");

    // dest may be the source itself.
    static long factor;
    factor = me < 10 ? me + 1 : 1;
    long factorial = 1;
    for (int pe = 0; pe < pe_count && pe < 10; pe++) factorial *= pe + 1;
    shmem_long_prod_reduce(SHMEM_TEAM_WORLD, &factor, &factor, 1);
    require(factor == factorial, "shmem_long_prod_reduce in place");

    if (me == 0) printf("reductions: right\n");
    shmem_finalize();
    return 0;
}
