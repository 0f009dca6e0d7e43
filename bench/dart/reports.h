// SPDX-License-Identifier: BSD-3-Clause
//
// Levels, samples and reports of the programs here. Results are lines of unit 0 that begin with
// "@ ", as those of bench/measure.h.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSamplesMax = 64 };

static int me, units;
static int is_quick, is_tiny;

static inline double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline void read_level(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        is_tiny |= strcmp(argv[i], "--tiny") == 0;
        is_quick |= strcmp(argv[i], "--quick") == 0;
    }
    is_quick |= is_tiny;
}

static inline int by_level(int tiny, int quick, int full) {
    return is_tiny ? tiny : is_quick ? quick : full;
}

static inline int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// `limit`: the median of what it is compared with; 0: nothing.
static inline double report(const char* measure, const char* x_name, double x, const char* unit,
                            int lower_is_better, double* samples, int count, double limit) {
    qsort(samples, (size_t)count, sizeof(double), by_value);
    if (me == 0) {
        printf(
            "@ measure=%s x=%.10g xname=%s npes=%d unit=%s better=%s median=%.6g q1=%.6g "
            "q3=%.6g samples=%d",
            measure, x, x_name, units, unit, lower_is_better ? "lower" : "higher",
            samples[count / 2], samples[count / 4], samples[count * 3 / 4], count);
        if (limit != 0) printf(" limit=%.6g", limit);
        putchar('\n');
        fflush(stdout);
    }
    return samples[count / 2];
}
