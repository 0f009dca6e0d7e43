// SPDX-License-Identifier: BSD-3-Clause
//
// Levels, samples and reports of all programs here, whatever library they use. PE 0
// prints each result as one line that begins with "@ ", and bench/run reads only those lines. A
// good run ends with the line "@ end".
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB ((size_t)1 << 20)

enum level { TINY, QUICK, FULL };  // a run of less than 0.3 s, of some seconds, thorough
static int me, npes;
static enum level level = FULL;

static inline int by_level(int tiny, int quick, int full) {
    return level == TINY ? tiny : level == QUICK ? quick : full;
}

// ---- Options ----

static int option_count;
static char** option_words;
static char option_is_known[64];

// Whether `name` (with two dashes) was given.
static inline int has_option(const char* name) {
    for (int i = 1; i < option_count; ++i) {
        if (strcmp(option_words[i], name) != 0) continue;
        option_is_known[i] = 1;
        return 1;
    }
    return 0;
}

// The word behind `name`, or `otherwise`.
static inline const char* option_text(const char* name, const char* otherwise) {
    for (int i = 1; i + 1 < option_count; ++i) {
        if (strcmp(option_words[i], name) != 0) continue;
        option_is_known[i] = option_is_known[i + 1] = 1;
        return option_words[i + 1];
    }
    return otherwise;
}

static inline long option(const char* name, long otherwise) {
    const char* text = option_text(name, NULL);
    return text ? strtol(text, NULL, 10) : otherwise;
}

// RETURNS: a word that no call above has asked for; NULL: none.
static inline const char* unknown_option(void) {
    for (int i = 1; i < option_count; ++i) {
        if (!option_is_known[i]) return option_words[i];
    }
    return NULL;
}

static inline void read_level(int argc, char** argv) {
    option_count = argc < 64 ? argc : 64;
    option_words = argv;
    level = has_option("--tiny") ? TINY : has_option("--quick") ? QUICK : FULL;
}

// ---- Times and results ----

static inline double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline double now_us(void) { return now_ns() / 1e3; }

static inline int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline double* sorted_copy(const double* samples, int count) {
    double* sorted = malloc(sizeof(double) * (size_t)count);
    memcpy(sorted, samples, sizeof(double) * (size_t)count);
    qsort(sorted, (size_t)count, sizeof(double), by_value);
    return sorted;
}

static inline double median(const double* samples, int count) {
    double* sorted = sorted_copy(samples, count);
    double result = sorted[count / 2];
    free(sorted);
    return result;
}

// Prints one line on PE 0; the other PEs' calls do nothing. The names of the measure and of the
// parameter have no blanks. `limit`: the median of the machine's limit, in the same unit; 0: none.
static inline void report(const char* measure, const char* parameter_name, double parameter,
                          const char* unit, int lower_is_better, const double* samples, int count,
                          double limit) {
    if (me != 0 || count < 1) return;
    double* sorted = sorted_copy(samples, count);
    printf(
        "@ measure=%s x=%.10g xname=%s npes=%d unit=%s better=%s median=%.6g q1=%.6g q3=%.6g "
        "samples=%d",
        measure, parameter, parameter_name, npes, unit, lower_is_better ? "lower" : "higher",
        sorted[count / 2], sorted[count / 4], sorted[count * 3 / 4], count);
    if (limit != 0) printf(" limit=%.6g", limit);
    putchar('\n');
    fflush(stdout);
    free(sorted);
}

static inline void report_end(void) {
    if (me == 0) puts("@ end");
    fflush(stdout);
}
