// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of the programs in plain MPI, the twins of those in DART (dart_measure.h).
#pragma once

#include <mpi.h>

#include "bench/reports.h"

enum { kSamplesMax = 64 };

static inline void give_up(const char* what) {
    fprintf(stderr, "unit %d: %s\n", me, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static inline void begin(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &npes);
    read_level(argc, argv);
}

static inline void end(void) {
    meet();
    report_end();
    MPI_Finalize();
}

static inline double all_reduced(double value, MPI_Op operation) {
    double result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return result;
}
static inline double greatest(double value) { return all_reduced(value, MPI_MAX); }
static inline double sum_of_all(double value) { return all_reduced(value, MPI_SUM); }

// A window of `bytes` on each unit. As in the papers, its epoch is as long as its life, and MPI may
// load from the neighbours' memory by itself. RETURNS: the own part.
static inline void* allocate_window(size_t bytes, int unit_bytes, MPI_Win* window) {
    void* memory = NULL;
    MPI_Win_allocate((MPI_Aint)bytes, unit_bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, *window);
    return memory;
}

static inline void free_window(MPI_Win* window) {
    MPI_Win_unlock_all(*window);
    MPI_Win_free(window);
}
