// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs but the last one enter a barrier; the last one waits for a word that no PE changes.
#include <shmem.h>

int main() {
    shmem_init();
    auto* word = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    const bool is_last = shmem_my_pe() == shmem_n_pes() - 1;
    if (is_last) shmem_long_wait_until(word, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
