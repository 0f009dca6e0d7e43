// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 3: blocking and nonblocking puts, and when their sources may be used again.
#include <shmem.h>
#include <stdio.h>

enum { kCount = 4 };

static int first[kCount], second[kCount];

static void fill(int* numbers, int value) {
    for (int i = 0; i < kCount; i++) numbers[i] = value;
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes(), right = (me + 1) % pe_count;
    int source[kCount], other_source[kCount];

    fill(source, 10 + me);
    shmem_int_put(first, source, kCount, right);
    fill(source, 0);  // right: a blocking put has read its source

    fill(other_source, 20 + me);
    shmem_int_put_nbi(second, other_source, kCount, right);
    // Here other_source still belongs to the library.
    shmem_quiet();          // all operations of this PE are complete
    fill(other_source, 0);  // right: the nonblocking put has ended, too

    shmem_barrier_all();  // the operations of all other PEs are complete
    if (me == 0) printf("PE 0 got %d and %d\n", first[0], second[kCount - 1]);
    shmem_finalize();
    return 0;
}
