// SPDX-License-Identifier: BSD-3-Clause
//
// The empty OpenSHMEM program whose start bench/run times. PE 0's one line tells a good run from
// one that failed before its barrier: other libraries may crash when they finalize.
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 0) puts("@ end");
    shmem_finalize();
    return 0;
}
