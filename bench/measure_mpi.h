// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of bench/measure.h in plain MPI, for the twins of programs in OpenSHMEM: the same
// names, so that both include one header of the benchmark. Memory is this process's own.
#pragma once

#include <mpi.h>

static inline void end_job(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

#include "bench/programs.h"

static inline void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

// ---- Values that all processes agree on. Collective. ----

static inline double fold_all(double value, enum fold fold) {
    const MPI_Op operations[] = {MPI_SUM, MPI_MAX, MPI_MIN};
    double result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operations[fold], MPI_COMM_WORLD);
    return result;
}
static inline void add_up(double* values, int count) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static inline void* allocate(size_t alignment, size_t bytes) {
    const size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void* memory = aligned_alloc(alignment, whole);
    if (!memory) give_up("no memory for %zu bytes", bytes);
    return memset(memory, 0, whole);
}
static inline void deallocate(void* memory) { free(memory); }

static inline void copy_to_first(void* dest, const void* source, size_t bytes, int pe) {
    if (pe == 0 && me == 0) memcpy(dest, source, bytes);
    if (pe != 0 && me == pe) MPI_Send(source, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (pe != 0 && me == 0)
        MPI_Recv(dest, (int)bytes, MPI_BYTE, pe, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A window of `bytes`, which the library may share between processes. RETURNS: the own part.
static inline void* window_memory(size_t bytes, MPI_Win* window) {
    void* memory = NULL;
    MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, window);
    return memory;
}

static inline MPI_Group group_of(int count, const int* members) {
    MPI_Group world, result;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, members, &result);
    MPI_Group_free(&world);
    return result;
}

// ---- Begin, end ----

static inline void begin(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &npes);
    read_level(argc, argv);
    pes_fit = sysconf(_SC_NPROCESSORS_ONLN) >= npes;
    pin();
}

static inline void end(void) {
    meet();
    report_end();
    meet();
    MPI_Finalize();
}
