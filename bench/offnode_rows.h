// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of offnode.c and raw_fabric.c: how many operations a sample has, and its report.
#pragma once

#include "bench/reports.h"

enum {
    kLatencyBatches = 40,
    kLatencyRepeats = 100,
    kRateBatches = 7,
    kRateRepeats = 20000,
    kBlocks = 16,  // each of 1 MiB
    kBlockRepeats = 64,
};

// Fills `ns` with the batches' nanoseconds for a repeat.
static inline void sample(void (*body)(long), int batches, long repeats, double* ns) {
    if (level != FULL) repeats = repeats / by_level(100, 20, 1) + 1;
    body(repeats / 10 + 1);
    for (int i = 0; i < batches; ++i) {
        double start = now_ns();
        body(repeats);
        ns[i] = (now_ns() - start) / (double)repeats;
    }
}

static inline void report_latency(const char* row, void (*body)(long)) {
    double ns[kLatencyBatches];
    sample(body, kLatencyBatches, kLatencyRepeats, ns);
    report(row, "bytes", 8, "ns", 1, ns, kLatencyBatches, 0);
}

// `amount` for a repeat, `limit` as that of report(). RETURNS: the median rate.
static inline double report_rate(const char* row, void (*body)(long), long repeats, double amount,
                                 double limit) {
    double rates[kRateBatches];
    sample(body, kRateBatches, repeats, rates);
    for (int i = 0; i < kRateBatches; ++i) rates[i] = amount * 1e9 / rates[i];
    report(row, "bytes", amount == (double)MIB ? (double)MIB : 8,
           amount == (double)MIB ? "B/s" : "1/s", 0, rates, kRateBatches, limit);
    return median(rates, kRateBatches);
}
