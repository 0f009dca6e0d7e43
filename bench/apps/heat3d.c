// SPDX-License-Identifier: BSD-3-Clause
//
// The heat conduction of heat3d.h in OpenSHMEM. Only the halo of other nodes travels while the
// inside is computed: the program can load the cells of its own node (shmem_ptr).
#define _GNU_SOURCE
#include "bench/measure.h"
// Uses functions of the header above.
#include "bench/heat3d.h"

static double* cells;  // symmetric

static double greatest(double value) { return fold_all(value, MAX_OF_ALL); }

static double sum_of_all(double value) {
    add_up(&value, 1);
    return value;
}

static double* allocate_cells(size_t bytes) {
    cells = allocate(64, bytes);
    return cells;
}

static void free_cells(void) { shmem_free(cells); }

static int must_travel(int pe) { return shmem_ptr(cells, pe) == NULL; }

static void get_cells(double* to, const double* from, long count, int pe) {
    shmem_getmem(to, from, sizeof(double) * (size_t)count, pe);
}

static void start_cells(double* to, const double* from, long count, int pe) {
    shmem_getmem_nbi(to, from, sizeof(double) * (size_t)count, pe);
}

static void finish_cells(void) { shmem_quiet(); }

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    measure_all("heat3d");
    end();
    return 0;
}
