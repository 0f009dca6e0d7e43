// SPDX-License-Identifier: BSD-3-Clause
//
// The measuring, checking and reporting of the programs of bench/micro and bench/apps. Plain
// OpenSHMEM 1.4, so that every library compiles them. Each program is one file that includes this
// header once. Its main calls begin(), asks for its own options by option() and calls
// options_end(), measures and calls report(), and ends by end(). A wrong result ends the job by
// give_up(). All functions here are for one thread of each PE.
#pragma once

#include <sched.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include "bench/reports.h"

static int pes_fit;       // each PE has a core of its own; otherwise do not spin on plain loads
static int thread_level;  // the level that the library provides

// Ends the whole job because of a wrong result or missing memory. `format`: the expected and the
// found value.
__attribute__((noreturn, format(printf, 1, 2))) static inline void give_up(const char* format,
                                                                           ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "PE %d: ", me);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(stderr);
    shmem_global_exit(1);
    abort();
}

// ---- Values that all PEs agree on. Collective; not for the middle of a measurement. ----

static double* agree_cell;  // symmetric

// PE 0's value, on all PEs.
static inline double agree(double value) {
    shmem_barrier_all();
    for (int pe = 0; me == 0 && pe < npes; ++pe) shmem_double_p(agree_cell, value, pe);
    shmem_barrier_all();
    return *(volatile double*)agree_cell;
}

enum fold { SUM_OF_ALL, MAX_OF_ALL, MIN_OF_ALL };

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

// Symmetric and zeroed. Collective.
static inline void* allocate(size_t alignment, size_t bytes) {
    void* memory = shmem_align(alignment, bytes);
    if (!memory) give_up("no %zu bytes of symmetric heap: raise SHMEM_SYMMETRIC_SIZE", bytes);
    memset(memory, 0, bytes);
    shmem_barrier_all();
    return memory;
}

// ---- Begin, options, end ----

// REQUIRES: all options of the program have been asked for.
static inline void options_end(const char* usage) {
    const char* unknown = unknown_option();
    if (!unknown) return;
    if (me == 0) {
        fprintf(stderr, "%s: what is %s? usage: [--tiny|--quick] %s\n", option_words[0], unknown,
                usage);
    }
    shmem_global_exit(2);
}

// One core for each PE if there are enough. If the launcher has bound the PEs, nothing changes.
static inline void pin(void) {
    cpu_set_t usable, one;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < npes) return;
    for (int cpu = 0, skip = me; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &usable) || skip-- > 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

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
    agree_cell = shmem_align(64, 64);
    if (!agree_cell) give_up("no symmetric heap");
    shmem_barrier_all();
}

static inline void end(void) {
    shmem_barrier_all();
    report_end();
    shmem_barrier_all();
    shmem_finalize();
}

// ---- Samples ----

static inline void report_one(const char* measure, const char* parameter_name, double parameter,
                              const char* unit, int lower_is_better, double value) {
    report(measure, parameter_name, parameter, unit, lower_is_better, &value, 1, 0);
}

// The measured operations: `repeats` of them on `bytes` bytes each.
typedef void (*Body)(long repeats, size_t bytes);

// Nanoseconds for one operation.
static inline double time_of(Body body, long repeats, size_t bytes) {
    double start = now_ns();
    body(repeats, bytes);
    return (now_ns() - start) / (double)repeats;
}

// RETURNS: the number of repeats with which one sample takes about `sample_ns`. Each PE finds its
// own; call agree() where all PEs take part.
static inline long repeats_for(Body body, size_t bytes, double sample_ns) {
    long repeats = 1;
    body(1, bytes);
    double taken = time_of(body, 1, bytes);
    while (taken * (double)repeats < sample_ns && repeats < 1000000) {
        repeats *= 4;
        taken = time_of(body, repeats, bytes);
    }
    double wanted = sample_ns / taken;
    return wanted < 1 ? 1 : wanted > 4e6 ? 4000000 : (long)wanted;
}

// The operation and its limit by turns, `samples` times after one to warm up. `limit` may be NULL.
static inline void by_turns(Body ours, Body limit, long repeats, size_t bytes, int samples,
                            double* ours_ns, double* limit_ns) {
    for (int i = -1; i < samples; ++i) {
        int at = i < 0 ? 0 : i;
        ours_ns[at] = time_of(ours, repeats, bytes);
        if (limit) limit_ns[at] = time_of(limit, repeats, bytes);
    }
}
