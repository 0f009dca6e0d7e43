// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART: what does DART gain (Zhou 2016, figures 8.5 and 8.7; Zhou
// and Gracia 2017, figures 8 to 11)? As in the papers, the halo comes by MPI_Rget and MPI_Wait, or
// by MPI_Get and a flush, under a shared lock of all units.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Uses functions of the header above.
#include "bench/heat3d.h"

static MPI_Win window;
static double* own;

static double* allocate_cells(size_t bytes) {
    return own = allocate_window(bytes, sizeof(double), &window);
}

static void free_cells(void) { free_window(&window); }

static int must_travel(int unit) {
    (void)unit;
    return 1;
}

static void get_cells(double* to, const double* from, long count, int unit) {
    MPI_Request request;
    MPI_Rget(to, (int)count, MPI_DOUBLE, unit, from - own, (int)count, MPI_DOUBLE, window,
             &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void start_cells(double* to, const double* from, long count, int unit) {
    MPI_Get(to, (int)count, MPI_DOUBLE, unit, from - own, (int)count, MPI_DOUBLE, window);
}

static void finish_cells(void) { MPI_Win_flush_all(window); }

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all("dart_heat");
    end();
    return 0;
}
