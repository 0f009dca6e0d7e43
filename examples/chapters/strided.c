// SPDX-License-Identifier: BSD-3-Clause
//
// strided: copies with strides (OpenSHMEM 1.6, 9.6).
//
//     oshcc strided.c -o strided
//     oshrun -n 4 ./strided
//
// A matrix lies in memory row by row, so its columns have a stride. iput and iget copy elements
// with a stride, ibput and ibget blocks of elements.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "strided: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kRows = 6, kColumns = 8, kWidth = 2 };

static int matrix[kRows][kColumns], other[kRows][kColumns];

static int element(int pe, int row, int column) { return pe * 100 + row * kColumns + column; }

static void check(int pe, int row, int column, const char* what) {
    require(other[row][column] == element(pe, row, column), what);
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count, left = (me + pe_count - 1) % pe_count;
    for (int row = 0; row < kRows; row++) {
        for (int column = 0; column < kColumns; column++)
            matrix[row][column] = element(me, row, column);
    }
    shmem_barrier_all();

    // My last column becomes column 0 of the right neighbour, as in an exchange of halos.
    shmem_int_iput(&other[0][0], &matrix[0][kColumns - 1], kColumns, kColumns, kRows, right);
    shmem_barrier_all();
    for (int row = 0; row < kRows; row++)
        require(other[row][0] == element(left, row, kColumns - 1), "shmem_int_iput");

    // Column 3 of the right neighbour, packed into a row.
    int column[kRows];
    shmem_iget32(column, &matrix[0][3], 1, kColumns, kRows, right);
    for (int row = 0; row < kRows; row++) require(column[row] == element(right, row, 3), "iget32");

    // Columns 4 and 5 at once: a block of two elements in each row.
    shmem_int_ibput(&other[0][4], &matrix[0][4], kColumns, kColumns, kWidth, kRows, right);
    shmem_int_ibget(&other[0][6], &matrix[0][6], kColumns, kColumns, kWidth, kRows, right);
    shmem_barrier_all();
    for (int row = 0; row < kRows; row++) {
        for (int i = 0; i < kWidth; i++) {
            check(left, row, 4 + i, "shmem_int_ibput");
            check(right, row, 6 + i, "shmem_int_ibget");
        }
    }

    if (me == 0) printf("strided: right\n");
    shmem_finalize();
    return 0;
}
