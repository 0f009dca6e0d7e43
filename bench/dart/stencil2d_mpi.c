// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART (Zhou 2016, figure 7.16; Zhou et al. 2015, figure 6): MPI_Put
// and MPI_Win_flush.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/stencil2d.h"

static MPI_Win window;
static float* own;

static float* allocate_cells(size_t bytes) {
    return own = allocate_window(bytes, sizeof(float), &window);
}

static void free_cells(void) { free_window(&window); }

static void start_row(float* to, const float* row, int unit) {
    MPI_Put(row, (int)mine.width, MPI_FLOAT, unit, to - own, (int)mine.width, MPI_FLOAT, window);
}

static void wait_rows(void) { MPI_Win_flush_all(window); }

static void put_row(float* to, const float* row, int unit) {
    start_row(to, row, unit);
    MPI_Win_flush(unit, window);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all();
    end();
    return 0;
}
