// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART: what does DART gain (Zhou 2016, figures 8.5 and 8.7)? The
// halo comes by MPI_Rget and MPI_Wait under a shared lock of all units, as in the paper.
// MPI_Win_allocate makes the windows, so MPI may load from the neighbours' memory by itself.
#define _GNU_SOURCE
#include <mpi.h>

#include "bench/dart/heat3d.h"

static MPI_Win windows[2];

static void give_up(const char* what) {
    fprintf(stderr, "unit %d: %s\n", me, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void begin(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &npes);
    read_level(argc, argv);
}

static void end(void) {
    meet();
    report_end();
    MPI_Finalize();
}

static double all_reduced(double value, MPI_Op operation) {
    double result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return result;
}
static double greatest(double value) { return all_reduced(value, MPI_MAX); }
static double sum_of_all(double value) { return all_reduced(value, MPI_SUM); }

static double* allocate_field(int field, size_t bytes) {
    double* memory = NULL;
    MPI_Win_allocate((MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &windows[field]);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, windows[field]);
    return memory;
}

static void free_field(int field) {
    MPI_Win_unlock_all(windows[field]);
    MPI_Win_free(&windows[field]);
}

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
