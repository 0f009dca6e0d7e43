// SPDX-License-Identifier: BSD-3-Clause
//
// alltoall: every PE sends a block to every PE (OpenSHMEM 1.6, 9.10).
//
//     oshcc alltoall.c -o alltoall
//     oshrun -n 4 ./alltoall
//
// A matrix is spread over the PEs, some rows on each. Its transpose, spread in the same way,
// needs a block of every PE.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "alltoall: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kRows = 2 };  // On each PE.

static long element(int row, int column) { return 1000l * row + column; }

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes(), size = kRows * pe_count;
    size_t count = (size_t)kRows * (size_t)size;
    long* packed = shmem_malloc(count * sizeof *packed);
    long* blocks = shmem_malloc(count * sizeof *blocks);
    require(packed != NULL && blocks != NULL, "memory");

    // The block for each PE, transposed, one behind the other.
    for (int pe = 0; pe < pe_count; pe++) {
        for (int c = 0; c < kRows; c++) {
            for (int r = 0; r < kRows; r++)
                packed[(pe * kRows + c) * kRows + r] = element(me * kRows + r, pe * kRows + c);
        }
    }
    shmem_sync_all();  // blocks is ready on all PEs.
    require(shmem_long_alltoall(SHMEM_TEAM_WORLD, blocks, packed, kRows * kRows) == 0, "its value");
    for (int pe = 0; pe < pe_count; pe++) {
        for (int r = 0; r < kRows; r++) {
            for (int c = 0; c < kRows; c++) {
                long wanted = element(pe * kRows + c, me * kRows + r);
                require(blocks[(pe * kRows + r) * kRows + c] == wanted, "shmem_long_alltoall");
            }
        }
    }

    // With strides: one element for each PE, of every second one of the source, to every third of
    // dest.
    int* source = shmem_calloc(2 * (size_t)pe_count, sizeof *source);
    int* dest = shmem_calloc(3 * (size_t)pe_count, sizeof *dest);
    require(source != NULL && dest != NULL, "memory for the strides");
    for (int pe = 0; pe < pe_count; pe++) source[2 * pe] = me * 100 + pe;
    shmem_int_alltoalls(SHMEM_TEAM_WORLD, dest, source, 3, 2, 1);
    for (int pe = 0; pe < pe_count; pe++) {
        require(dest[3 * pe] == pe * 100 + me, "shmem_int_alltoalls");
        require(dest[3 * pe + 1] == 0 && dest[3 * pe + 2] == 0, "what is in between");
    }

    shmem_free(dest);
    shmem_free(source);
    shmem_free(blocks);
    shmem_free(packed);
    if (me == 0) printf("alltoall: right\n");
    shmem_finalize();
    return 0;
}
