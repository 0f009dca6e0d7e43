// SPDX-License-Identifier: BSD-3-Clause
//
// The measuring that collectives.c and collectives_mpi.c share. A sample is a run of calls, one
// after the other, and a barrier at its end, on the clock of PE 0; a row is the median of its
// samples. The broadcast's root is another PE in each call, so that no root can run ahead of the
// PEs that wait for it. The program checks each row's result before it measures the row.
#pragma once

#include <stdint.h>

#include "bench/reports.h"

enum row { REDUCE, BROADCAST, FCOLLECT, ALLTOALL, BARRIER, ROWS };
static const char* const row_names[ROWS] = {"reduce", "broadcast", "fcollect", "alltoall",
                                            "barrier"};
enum { SAMPLES_MAX = 21 };
static const size_t sizes[] = {8, 64, 512, 4096, 32768, 262144, 2097152, 16777216};

// Bounds the memory of a job; rows that need longer arrays are left out.
static const size_t array_bytes = 32 * MIB;

static double *source, *dest;  // array_bytes each

// One call of the including program's library. `count`: doubles of a vector (reduce,
// broadcast), of a contribution (fcollect), of a block (alltoall).
static void call(enum row row, size_t count, int root);
static void meet(void);
static long agree(long value);  // PE 0's
static void give_up(const char* why);

// Elements of the longer array of a row.
static size_t length(enum row row, size_t count) {
    return row == FCOLLECT || row == ALLTOALL ? count * (size_t)npes : count;
}

// Element i of the data that `from` sends to `to`; sums of these are exact.
static double value(int from, int to, size_t i) {
    return (double)(from + 1) * 1000 + (double)to * 10 + (double)(i % 7);
}

static double expected(enum row row, size_t count, int root, size_t i) {
    double sum = 0;
    switch (row) {
        case REDUCE:
            for (int pe = 0; pe < npes; ++pe) sum += value(pe, 0, i);
            return sum;
        case BROADCAST: return value(root, 0, i);
        case FCOLLECT: return value((int)(i / count), 0, i % count);
        case ALLTOALL: return value((int)(i / count), me, i % count);
        default: return 0;
    }
}

static void check(enum row row, size_t count) {
    const int root = npes - 1;
    for (size_t i = 0; i < length(row, count); ++i) {
        int is_block = row == ALLTOALL;
        source[i] = value(me, is_block ? (int)(i / count) : 0, is_block ? i % count : i);
        dest[i] = -1;
    }
    meet();
    call(row, count, root);
    // The deprecated broadcast leaves the root's dest alone.
    for (size_t i = 0; i < length(row, count) && !(row == BROADCAST && me == root); ++i) {
        if (dest[i] != expected(row, count, root, i)) give_up(row_names[row]);
    }
    meet();
}

static double sample_ns(enum row row, size_t count, long calls) {
    meet();
    double start = now_ns();
    for (long i = 0; i < calls; ++i) call(row, count, (int)(i % npes));
    if (row != BARRIER) meet();
    return (now_ns() - start) / (double)calls;
}

static void measure(enum row row, size_t bytes) {
    static double times[SAMPLES_MAX];
    const size_t count = bytes / sizeof(double);
    if (length(row, count) * sizeof(double) > array_bytes) return;
    if (row != BARRIER) check(row, count);
    sample_ns(row, count, 3);
    const double once_ns = sample_ns(row, count, 3);
    const double budget_ns = by_level(10, 50, 600) * 1e6;  // for the row
    const long calls = agree((long)(budget_ns / SAMPLES_MAX / once_ns) + 1);
    long samples = (long)(budget_ns / once_ns / (double)calls);
    samples = agree(samples < 3 ? 3 : samples > SAMPLES_MAX ? SAMPLES_MAX : samples);
    const double start = now_ns();
    long taken = 0;
    while (taken < samples) {
        times[taken++] = sample_ns(row, count, calls);
        // A busy machine makes estimates wrong.
        if (agree(now_ns() - start > 4 * budget_ns)) break;
    }
    report(row_names[row], "bytes", (double)bytes, "ns", 1, times, (int)taken, 0);
}

static void measure_all(void) {
    for (enum row row = REDUCE; row < ROWS; ++row) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            if (row == BARRIER) {
                measure(row, 0);
                break;
            }
            if (level != FULL && (i % 2 == 1 || sizes[i] > 65536)) continue;
            measure(row, sizes[i]);
        }
    }
    meet();
    report_end();
}
