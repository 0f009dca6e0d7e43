// SPDX-License-Identifier: BSD-3-Clause
//
// The measuring, checking and reporting of the programs of bench/micro and bench/apps. Plain
// OpenSHMEM 1.4, so that every library compiles them. Each program is one file that includes this
// header once. Its main calls begin(), asks for its own options by option() and calls
// options_end(), measures and calls report(), and ends by end(). A wrong result ends the job by
// give_up(). All functions here are for one thread of each PE. Twins in plain MPI include
// bench/measure_mpi.h instead, and what both have in common is in bench/programs.h.
#pragma once

#include <shmem.h>

static inline void end_job(int status) { shmem_global_exit(status); }

#include "bench/programs.h"

static int thread_level;  // the level that the library provides

// ---- Values that all PEs agree on. Collective; not for the middle of a measurement. ----

enum { kAgreeNumbers = 8 };
static double* agree_cell;  // symmetric: kAgreeNumbers of them

static inline void meet(void) { shmem_barrier_all(); }

// PE 0's value, on all PEs.
static inline double agree(double value) {
    shmem_barrier_all();
    for (int pe = 0; me == 0 && pe < npes; ++pe) shmem_double_p(agree_cell, value, pe);
    shmem_barrier_all();
    return *(volatile double*)agree_cell;
}

// The same value on all PEs: the sum is made in the same order everywhere.
static inline double fold_all(double value, enum fold fold) {
    shmem_barrier_all();
    *(volatile double*)agree_cell = value;
    shmem_barrier_all();
    double result = shmem_double_g(agree_cell, 0);
    for (int pe = 1; pe < npes; ++pe) {
        double other = shmem_double_g(agree_cell, pe);
        if (fold == SUM_OF_ALL) result += other;
        if (fold == MAX_OF_ALL && other > result) result = other;
        if (fold == MIN_OF_ALL && other < result) result = other;
    }
    shmem_barrier_all();
    return result;
}

// Adds up each of `count` numbers over all PEs, by one reduction. RETURNS: the sums in `values`.
static inline void add_up(double* values, int count) {
    static double work[kAgreeNumbers / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    static long sync[2][SHMEM_REDUCE_SYNC_SIZE];
    static int calls;
    if (count > kAgreeNumbers / 2) give_up("add_up: %d numbers", count);
    for (int i = 0; calls == 0 && i < SHMEM_REDUCE_SYNC_SIZE; ++i)
        sync[0][i] = sync[1][i] = SHMEM_SYNC_VALUE;
    if (calls == 0) shmem_barrier_all();
    double* result = agree_cell + kAgreeNumbers / 2;
    memcpy(agree_cell, values, sizeof(double) * (size_t)count);
    shmem_double_sum_to_all(result, agree_cell, count, 0, 0, npes, work, sync[calls++ % 2]);
    memcpy(values, result, sizeof(double) * (size_t)count);
}

// Symmetric and zeroed. Collective.
static inline void* allocate(size_t alignment, size_t bytes) {
    void* memory = shmem_align(alignment, bytes);
    if (!memory) give_up("no %zu bytes of symmetric heap: raise SHMEM_SYMMETRIC_SIZE", bytes);
    memset(memory, 0, bytes);
    shmem_barrier_all();
    return memory;
}
static inline void deallocate(void* memory) { shmem_free(memory); }

// PE 0 copies `bytes` at the symmetric address `source` of a PE. MPI needs the call on all.
static inline void copy_to_first(void* dest, const void* source, size_t bytes, int pe) {
    if (me == 0) shmem_getmem(dest, source, bytes, pe);
}

// ---- Begin, end ----

// `wanted` is a SHMEM_THREAD_ level; PEs with more than one thread are not pinned.
static inline void begin(int argc, char** argv, int wanted) {
    if (wanted == SHMEM_THREAD_SINGLE) {
        shmem_init();
    } else {
        shmem_init_thread(wanted, &thread_level);
    }
    me = shmem_my_pe();
    npes = shmem_n_pes();
    read_level(argc, argv);
    pes_fit = sysconf(_SC_NPROCESSORS_ONLN) >= npes;
    if (wanted == SHMEM_THREAD_SINGLE) pin();
    agree_cell = shmem_align(64, sizeof(double[kAgreeNumbers]));
    if (!agree_cell) give_up("no symmetric heap");
    shmem_barrier_all();
}

static inline void end(void) {
    shmem_barrier_all();
    report_end();
    shmem_barrier_all();
    shmem_finalize();
}
