// SPDX-License-Identifier: BSD-3-Clause
//
// The method of Sandia's SMB, as Zhou 2016 (7.2.2) uses it: an operation is started, work is done,
// the operation is completed; the work grows until the whole takes 1.5 times as long as without
// work. The overhead is the time of the whole less the time of the work alone; its share is that of
// the time without work, 100 percent less what the paper calls availability.
#pragma once

#include <stddef.h>

struct OverlapOperation {
    void (*start)(size_t bytes);
    void (*finish)(void);
};
struct OverlapSample {
    double overhead_ns, share;
};

static volatile unsigned long overlap_sink;

// One copy in all places, which takes the same time.
__attribute__((noinline)) static void overlap_work(long iterations) {
    unsigned long value = overlap_sink;
    for (long i = 0; i < iterations; ++i) {
        value = value * 1664525 + 1013904223;
        __asm__ volatile("" : "+r"(value));
    }
    overlap_sink = value;
}

// Nanoseconds of one operation, work and completion; without an `operation`, of the work.
static inline double overlap_time(const struct OverlapOperation* operation, size_t bytes,
                                  long iterations, long repeats) {
    double start = now_ns();
    for (long i = 0; i < repeats; ++i) {
        if (operation) operation->start(bytes);
        overlap_work(iterations);
        if (operation) operation->finish();
    }
    return (now_ns() - start) / (double)repeats;
}

// Repeats for one sample of about `sample_ns`.
static inline long overlap_repeats(const struct OverlapOperation* operation, size_t bytes,
                                   double sample_ns) {
    long repeats = 1;
    overlap_time(operation, bytes, 0, 2);
    double taken = overlap_time(operation, bytes, 0, 1);
    while (taken * (double)repeats < sample_ns / 2 && repeats < 100000) {
        repeats *= 4;
        taken = overlap_time(operation, bytes, 0, repeats);
    }
    return (long)(sample_ns / taken) + 1;
}

static inline struct OverlapSample overlap_sample(const struct OverlapOperation* operation,
                                                  size_t bytes, long repeats) {
    const double base_ns = overlap_time(operation, bytes, 0, repeats);
    double all_ns = base_ns;
    long iterations = 8;
    while (all_ns <= 1.5 * base_ns) {
        iterations += iterations / 4 + 1;
        all_ns = overlap_time(operation, bytes, iterations, repeats);
    }
    const double work_ns = overlap_time(NULL, bytes, iterations, repeats);
    const double overhead_ns = all_ns - work_ns > 0 ? all_ns - work_ns : 0;
    return (struct OverlapSample){overhead_ns, 100 * overhead_ns / base_ns};
}

// The content of `bytes` bytes that `seed` tells.
static inline char overlap_byte(size_t i, int seed) {
    return (char)(i * 7 + i / 251 + (size_t)seed);
}

static inline void overlap_fill(char* memory, size_t bytes, int seed) {
    for (size_t i = 0; i < bytes; ++i) memory[i] = overlap_byte(i, seed);
}

// RETURNS: the first byte that is wrong, or `bytes`.
static inline size_t overlap_wrong(const char* memory, size_t bytes, int seed) {
    for (size_t i = 0; i < bytes; ++i) {
        if (memory[i] != overlap_byte(i, seed)) return i;
    }
    return bytes;
}
