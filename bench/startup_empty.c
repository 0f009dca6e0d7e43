// SPDX-License-Identifier: BSD-3-Clause
//
// The empty OpenSHMEM program whose start bench/startup.py times.
#include <shmem.h>

int main(void) {
    shmem_init();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
