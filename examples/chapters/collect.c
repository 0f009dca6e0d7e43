// SPDX-License-Identifier: BSD-3-Clause
//
// collect: every PE gets the data of all PEs (OpenSHMEM 1.6, 9.10).
//
//     oshcc collect.c -o collect
//     oshrun -n 4 ./collect
//
// collect puts contributions of any length one behind the other, in the order of the PEs;
// fcollect needs the same length on all PEs and is faster.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "collect: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    size_t length = (size_t)me + 1, total = (size_t)pe_count * (size_t)(pe_count + 1) / 2;

    // PE p gives p + 1 times its number.
    int* source = shmem_malloc((size_t)pe_count * sizeof *source);
    int* dest = shmem_malloc(total * sizeof *dest);
    require(source != NULL && dest != NULL, "memory");
    for (size_t i = 0; i < length; i++) source[i] = me;
    require(shmem_int_collect(SHMEM_TEAM_WORLD, dest, source, length) == 0, "its value");
    size_t place = 0;
    for (int pe = 0; pe < pe_count; pe++) {
        for (int i = 0; i <= pe; i++) require(dest[place++] == pe, "shmem_int_collect");
    }

    // Some PEs may have nothing.
    shmem_sync_all();
    shmem_int_collect(SHMEM_TEAM_WORLD, dest, source, me % 2 == 0 ? 1 : 0);
    for (int i = 0; i < (pe_count + 1) / 2; i++) require(dest[i] == 2 * i, "without the odd PEs");

    // The same length: a table of all PEs' records.
    struct record {
        int pe;
        double weight;
    };
    struct record* mine = shmem_malloc(sizeof *mine);
    struct record* table = shmem_malloc((size_t)pe_count * sizeof *table);
    require(mine != NULL && table != NULL, "memory for the table");
    *mine = (struct record){.pe = me, .weight = me / 2.0};
    shmem_fcollectmem(SHMEM_TEAM_WORLD, table, mine, sizeof *mine);
    for (int pe = 0; pe < pe_count; pe++)
        require(table[pe].pe == pe && table[pe].weight == pe / 2.0, "shmem_fcollectmem");

    shmem_free(table);
    shmem_free(mine);
    shmem_free(dest);
    shmem_free(source);
    if (me == 0) printf("collect: right\n");
    shmem_finalize();
    return 0;
}
