// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs but the last one enter a barrier; the last one waits for a word that no PE changes. With
// an argument, each PE waits for a lock that the next one has.
#include <shmem.h>

namespace {
long locks[64];
}

int main(int argc, char**) {
    shmem_init();
    auto* word = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    const int pe = shmem_my_pe();
    const int npes = shmem_n_pes();
    if (argc > 1) {
        shmem_set_lock(&locks[pe]);
        shmem_barrier_all();
        shmem_set_lock(&locks[(pe + 1) % npes]);
    }
    if (pe == npes - 1) shmem_long_wait_until(word, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
