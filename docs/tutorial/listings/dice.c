// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 5: the sums of four dice. The PEs share the throws and add up their histograms.
// The output is the data of dice.svg.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { kThrows = 100000, kDice = 4, kSums = 6 * kDice + 1 };

static long mine[kSums], all[kSums];

// A number that looks random and depends on `n` only, so the result does not depend on the PEs.
static uint64_t scramble(uint64_t n) {
    n = (n + 1) * 0x9E3779B97F4A7C15;
    n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9;
    n = (n ^ (n >> 27)) * 0x94D049BB133111EB;
    return n ^ (n >> 31);
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    for (int i = me; i < kThrows; i += pe_count) {
        int sum = 0;
        for (int die = 0; die < kDice; die++) sum += 1 + (int)(scramble(kDice * i + die) % 6);
        mine[sum]++;
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all, mine, kSums);
    for (int sum = kDice; me == 0 && sum < kSums; sum++) printf("%d %ld\n", sum, all[sum]);
    shmem_finalize();
    return 0;
}
