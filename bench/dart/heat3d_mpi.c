// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART: what does DART gain (Zhou 2016, figures 8.5 and 8.7)? The
// halo comes by MPI_Rget and MPI_Wait under a shared lock of all units, as in the paper.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// It declares what stands above, so it comes last.
#include "bench/dart/heat3d.h"

static MPI_Win windows[2];

static double* allocate_field(int field, size_t bytes) {
    return allocate_window(bytes, sizeof(double), &windows[field]);
}

static void free_field(int field) { free_window(&windows[field]); }

static void get_cells(int field, long to, long from, long cells, int unit) {
    MPI_Request request;
    MPI_Rget(mine[field] + to, (int)cells, MPI_DOUBLE, unit, from, (int)cells, MPI_DOUBLE,
             windows[field], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all("dart_heat_weak", "dart_heat_strong");
    end();
    return 0;
}
