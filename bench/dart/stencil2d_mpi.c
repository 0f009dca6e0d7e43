// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART (Zhou 2016, figure 7.16; Zhou et al. 2015, figure 6): MPI_Put
// and MPI_Win_flush.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/stencil2d.h"

static MPI_Win windows[2];

static float* allocate_grid(int field, size_t bytes) {
    return allocate_window(bytes, sizeof(float), &windows[field]);
}

static void free_grid(int field) { free_window(&windows[field]); }

static void start_row(int field, int unit, long to_row, const float* row) {
    MPI_Put(row, (int)mine.width, MPI_FLOAT, unit, to_row * mine.width, (int)mine.width, MPI_FLOAT,
            windows[field]);
}

static void wait_rows(int field) { MPI_Win_flush_all(windows[field]); }

static void put_row(int field, int unit, long to_row, const float* row) {
    start_row(field, unit, to_row, row);
    MPI_Win_flush(unit, windows[field]);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all();
    end();
    return 0;
}
