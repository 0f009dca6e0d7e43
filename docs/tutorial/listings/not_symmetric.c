// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 3: a mistake. The destination of a put must be symmetric.
#include <shmem.h>

int main(void) {
    shmem_init();
    int inbox = 0;  // on the stack: no PE but this one can reach it
    if (shmem_my_pe() == 0) shmem_int_p(&inbox, 7, shmem_n_pes() - 1);
    shmem_finalize();
    return inbox;
}
