// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 1: every PE stores a number in the memory of its right neighbour.
#include <shmem.h>
#include <stdio.h>

static int inbox;  // symmetric: every PE has one, and every PE can reach all of them

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count;

    shmem_int_p(&inbox, me, right);  // inbox of PE `right` = me
    shmem_barrier_all();             // all PEs are here, and all numbers have arrived

    if (me == 0) {
        for (int pe = 0; pe < pe_count; pe++) printf("PE %d got %d\n", pe, shmem_int_g(&inbox, pe));
    }
    shmem_finalize();
    return 0;
}
