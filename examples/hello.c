// SPDX-License-Identifier: BSD-3-Clause
//
// hello: every PE says which one it is, and in order.
//
//     oshcc hello.c -o hello
//     oshrun -n 4 ./hello

#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    int pe_count = shmem_n_pes();

    if (me == 0) {
        char name[SHMEM_MAX_NAME_LEN];
        int major, minor;
        shmem_info_get_name(name);
        shmem_info_get_version(&major, &minor);
        printf("%s, OpenSHMEM %d.%d\n", name, major, minor);
    }

    // The PEs run at the same time. To print in order, PE 0 first, each one waits for its turn: in
    // every round of this loop one PE prints and all the others wait for it in the barrier.
    for (int pe = 0; pe < pe_count; pe++) {
        if (pe == me) {
            printf("Hello from PE %d of %d\n", me, pe_count);
            fflush(stdout);
        }
        shmem_barrier_all();
    }

    shmem_finalize();
    return 0;
}
