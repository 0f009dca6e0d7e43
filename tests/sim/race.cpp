// SPDX-License-Identifier: BSD-3-Clause
//
// A mistake that needs a certain order of steps: PEs add to a word by a load and a store.
#include <shmem.h>

#include <cstdio>

int main() {
    shmem_init();
    auto* sum = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    if (shmem_my_pe() < 2) shmem_long_p(sum, shmem_long_g(sum, 0) + 1, 0);
    shmem_barrier_all();
    const long wanted = shmem_n_pes() < 2 ? shmem_n_pes() : 2;
    if (shmem_my_pe() == 0 && *sum != wanted) {
        std::printf("an addition is lost\n");
        shmem_global_exit(1);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
