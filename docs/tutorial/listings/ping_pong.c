// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 4: two PEs wake each other in turn, by signals without data.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t ball;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), other = 1 - me;
    for (uint64_t round = 1; me < 2 && round <= 1000; round++) {
        if (me == 0) shmem_signal_set(&ball, round, other);
        shmem_signal_wait_until(&ball, SHMEM_CMP_EQ, round);
        if (me == 1) shmem_signal_set(&ball, round, other);
    }
    if (me == 0) printf("%d returns\n", (int)shmem_signal_fetch(&ball));
    shmem_finalize();
    return 0;
}
