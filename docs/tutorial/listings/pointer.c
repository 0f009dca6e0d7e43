// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 2: loads from another PE's memory where that is possible, a get where it is not.
#include <shmem.h>
#include <stdio.h>

enum { kCount = 1000 };

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    long* numbers = shmem_malloc(kCount * sizeof *numbers);
    for (int i = 0; i < kCount; i++) numbers[i] = me;
    shmem_barrier_all();  // the numbers of all PEs are there

    for (int pe = 0; me == 0 && pe < pe_count; pe++) {
        long sum = 0, copy[kCount];
        const long* theirs = shmem_ptr(numbers, pe);
        const char* how = theirs != NULL ? "loads" : "a get";
        if (theirs == NULL) {
            shmem_long_get(copy, numbers, kCount, pe);
            theirs = copy;
        }
        for (int i = 0; i < kCount; i++) sum += theirs[i];
        printf("PE %d: sum %ld by %s\n", pe, sum, how);
    }
    shmem_free(numbers);  // begins with a barrier: PE 0 has read everything
    shmem_finalize();
    return 0;
}
