// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of bench/measure.h, for programs in OpenSHMEM, and bench/measure_mpi.h, for twins
// in plain MPI: giving up, options, pinning, samples. Those headers define end_job() and include
// this one.
#pragma once

#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include "bench/reports.h"

static int pes_fit;  // each PE has a core of its own; otherwise do not spin on plain loads

enum fold { SUM_OF_ALL, MAX_OF_ALL, MIN_OF_ALL };

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
    end_job(1);
    abort();
}

// REQUIRES: all options of the program have been asked for.
static inline void options_end(const char* usage) {
    const char* unknown = unknown_option();
    if (!unknown) return;
    if (me == 0) {
        fprintf(stderr, "%s: what is %s? usage: [--tiny|--quick] %s\n", option_words[0], unknown,
                usage);
    }
    end_job(2);
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
