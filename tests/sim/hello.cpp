// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets, atomics, waits and barriers between all PEs: the smallest program that shows whether
// the simulated world works.
#include <shmem.h>

#include <cstdio>

namespace {
long from_left = 0;
long counter = 0;
}  // namespace

int main() {
    shmem_init();
    const int pe = shmem_my_pe();
    const int npes = shmem_n_pes();
    auto* flag = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    auto* block = static_cast<long*>(shmem_calloc(2000, sizeof(long)));
    long mine[2000];
    for (int round = 1; round <= 3; ++round) {
        for (long& value : mine) value = pe + 1000L * round;
        const int right = (pe + 1) % npes;
        const int left = (pe + npes - 1) % npes;
        shmem_long_put(block, mine, 2000, right);
        shmem_fence();
        shmem_long_p(flag, round, right);
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, round);
        for (int i = 0; i < 2000; ++i) {
            if (block[i] != left + 1000L * round) {
                std::printf("PE %d: element %d is %ld\n", pe, i, block[i]);
                shmem_global_exit(1);
            }
        }
        shmem_long_p(&from_left, pe + 10L * round, right);
        shmem_long_atomic_inc(&counter, 0);
        shmem_barrier_all();
        if (from_left != left + 10L * round || shmem_long_g(&counter, 0) != long{npes} * round) {
            std::printf("PE %d: %ld from the left\n", pe, from_left);
            shmem_global_exit(1);
        }
        shmem_barrier_all();
    }
    shmem_free(block);
    shmem_free(flag);
    if (pe == 0) std::printf("all PEs agree\n");
    shmem_finalize();
    return 0;
}
