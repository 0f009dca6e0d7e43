// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 2: the symmetric heap, and an allocation for which it is too small.
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    size_t count = 1 << 20;  // the same on all PEs

    double* numbers = shmem_malloc(count * sizeof *numbers);
    if (numbers == NULL) {  // Tessera: on all PEs, or on none
        if (me == 0) printf("no room for %zu MiB\n", count * sizeof *numbers >> 20);
        shmem_finalize();
        return 0;
    }
    numbers[count - 1] = me;
    shmem_barrier_all();
    if (me == 0)
        printf("PE 0 reads %.0f\n", shmem_double_g(&numbers[count - 1], shmem_n_pes() - 1));

    shmem_free(numbers);
    shmem_finalize();
    return 0;
}
