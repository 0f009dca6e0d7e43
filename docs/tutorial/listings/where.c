// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 6: which PEs share a node?
#include <shmem.h>
#include <stdio.h>

static int lowest, number_on_node;

int main(void) {
    shmem_init();
    lowest = shmem_team_translate_pe(SHMEM_TEAM_SHARED, 0, SHMEM_TEAM_WORLD);
    number_on_node = shmem_team_my_pe(SHMEM_TEAM_SHARED);
    shmem_barrier_all();
    for (int pe = 0; shmem_my_pe() == 0 && pe < shmem_n_pes(); pe++) {
        printf("PE %d is number %d on the node of PE %d\n", pe, shmem_int_g(&number_on_node, pe),
               shmem_int_g(&lowest, pe));
    }
    shmem_finalize();
    return 0;
}
