// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of transfers.c (DART), transfers_mpi.c and overhead.c: puts and gets by unit 0 towards
// the last unit, which waits.
//
//   dart_put, dart_get                blocking
//   dart_put_handle, dart_get_handle  with a handle, and a wait for each
//   dart_put_start                    100 with a handle, then one waitall: nanoseconds of one
//   dart_put_rate, dart_get_rate      64 under way, then one flush: MB/s
//   dart_put_at, dart_get_at          blocking, of 8 bytes, by the unit at the other end
//   dart_put_mib_at, dart_get_mib_at  the same of 1 MiB
#pragma once

#include "bench/reports.h"

enum { kWindow = 64, kHandles = 100, kCheckedBytes = 1 << 16 };
#define BYTES_MAX ((size_t)4 << 20)

// The program defines these.
static void give_up(const char* what);
static void meet(void);
static void aim_at(int unit);  // the transfers below
static void put(long calls, size_t bytes);
static void get(long calls, size_t bytes);
static void put_handle(long calls, size_t bytes);
static void get_handle(long calls, size_t bytes);
static void put_start(long calls, size_t bytes);
static void put_window(long calls, size_t bytes);
static void get_window(long calls, size_t bytes);

static char* local;  // source of the puts, dest of the gets
static char* mine;   // the own part of the target

typedef void (*Body)(long calls, size_t bytes);

struct Row {
    const char* name;
    Body ours, limit;
    int operations;  // in a call
    int is_rate;
};

static inline double time_of(Body body, long calls, size_t bytes) {
    const double start = now_ns();
    body(calls, bytes);
    return (now_ns() - start) / (double)calls;
}

static inline void measure(const struct Row* row, const char* x_name, double x, size_t bytes) {
    double ours[kSamplesMax], limit[kSamplesMax];
    const int samples = level == TINY ? 3 : level != FULL ? 21 : 51;
    const double sample_ns = level == TINY ? 1e4 : level != FULL ? 4e5 : 2e6;
    long calls = 1;
    while (time_of(row->ours, calls, bytes) * (double)calls < sample_ns && calls < 1000000)
        calls *= 2;
    for (int i = 0; i < samples; ++i) {
        ours[i] = time_of(row->ours, calls, bytes) / row->operations;
        limit[i] = row->limit ? time_of(row->limit, calls, bytes) / row->operations : 0;
        if (row->is_rate) {
            ours[i] = (double)bytes * 1e3 / ours[i];
            limit[i] = row->limit ? (double)bytes * 1e3 / limit[i] : 0;
        }
    }
    qsort(limit, (size_t)samples, sizeof(double), by_value);
    report(row->name, x_name, x, row->is_rate ? "MB/s" : "ns", !row->is_rate, ours, samples,
           limit[samples / 2]);
}

static inline void measure_rows(const struct Row* rows, size_t count) {
    const size_t most = level == TINY ? 4096 : level != FULL ? (size_t)1 << 18 : BYTES_MAX;
    for (size_t row = 0; me == 0 && row < count; ++row) {
        for (size_t bytes = 8; bytes <= most; bytes *= bytes < 4096 && level == FULL ? 2 : 8)
            measure(&rows[row], "bytes", (double)bytes, bytes);
    }
    meet();
}

static inline void measure_sizes(void) {
    static const struct Row rows[] = {
        {"dart_put", put, NULL, 1, 0},
        {"dart_get", get, NULL, 1, 0},
        {"dart_put_handle", put_handle, NULL, 1, 0},
        {"dart_get_handle", get_handle, NULL, 1, 0},
        {"dart_put_start", put_start, NULL, kHandles, 0},
        {"dart_put_rate", put_window, NULL, kWindow, 1},
        {"dart_get_rate", get_window, NULL, kWindow, 1},
    };
    measure_rows(rows, sizeof rows / sizeof rows[0]);
}

// The target may be any unit, also the own one.
static inline void measure_distances(void) {
    static const struct Row rows[] = {{"dart_put_at", put, NULL, 1, 0},
                                      {"dart_get_at", get, NULL, 1, 0},
                                      {"dart_put_mib_at", put, NULL, 1, 0},
                                      {"dart_get_mib_at", get, NULL, 1, 0}};
    for (int unit = 0; me == 0 && unit < npes; ++unit) {
        aim_at(unit);
        for (int row = 0; row < 4; ++row) measure(&rows[row], "unit", unit, row < 2 ? 8 : MIB);
    }
    aim_at(npes - 1);
    meet();
}

static inline void check_bytes(const char* bytes, char expected, const char* message) {
    for (int i = 0; i < kCheckedBytes; ++i) {
        if (bytes[i] != expected) give_up(message);
    }
}

// Each body puts or gets once more.
static inline void check_transfers(void) {
    static const Body puts[] = {put, put_handle, put_start, put_window};
    static const Body gets[] = {get, get_handle, get_window};
    for (int i = 0; i < 4; ++i) {
        const char value = (char)(2 + i);
        memset(local, value, kCheckedBytes);
        if (me == 0) puts[i](1, kCheckedBytes);
        meet();
        if (me == npes - 1) check_bytes(mine, value, "a put is wrong");
        meet();
    }
    for (int i = 0; me == 0 && i < 3; ++i) {
        memset(local, 0, kCheckedBytes);
        gets[i](1, kCheckedBytes);
        check_bytes(local, 5, "a get is wrong");
    }
    meet();
}

// REQUIRES: `mine` is set.
static inline void begin_samples(void) {
    aim_at(npes - 1);
    memset(mine, 0, BYTES_MAX);
    local = aligned_alloc(64, BYTES_MAX);
    memset(local, 1, BYTES_MAX);
    meet();
}
