// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of transfers.c and overhead.c: puts and gets through DART, by unit 0 towards the last
// unit, which waits.
//
//   dart_put, dart_get                blocking
//   dart_put_handle, dart_get_handle  with a handle, and a wait for each
//   dart_put_start                    100 with a handle, then one waitall: nanoseconds of one
//   dart_put_rate, dart_get_rate      64 under way, then one flush: MB/s
//   dart_put_at, dart_get_at          blocking, of 8 bytes, by the unit at the other end
#pragma once

#include "bench/dart/dart_measure.h"

enum { kWindow = 64, kHandles = 100 };
#define BYTES_MAX ((size_t)4 << 20)

static dart_gptr_t target;
static char* local;
static dart_handle_t handles[kHandles];

typedef void (*Body)(long calls, size_t bytes);

static void put(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i)
        dart_put_blocking(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
}
static void get(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i)
        dart_get_blocking(local, target, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
}
static void put_handle(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        dart_put_handle(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG, handles);
        dart_wait(handles);
    }
}
static void get_handle(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        dart_get_handle(local, target, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG, handles);
        dart_wait(handles);
    }
}
static void put_start(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kHandles; ++j)
            dart_put_handle(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG, &handles[j]);
        dart_waitall(handles, kHandles);
    }
}
static void put_window(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j)
            dart_put(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush(target);
    }
}
static void get_window(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j)
            dart_get(local, target, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush(target);
    }
}

struct Row {
    const char* name;
    Body ours, limit;
    int operations;  // of a call
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
    while (time_of(row->ours, calls, bytes) * (double)calls < sample_ns && calls < 1000000) {
        calls *= 2;
    }
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
        for (size_t bytes = 8; bytes <= most; bytes *= bytes < 4096 && level == FULL ? 2 : 8) {
            measure(&rows[row], "bytes", (double)bytes, bytes);
        }
    }
    meet();
}

// The target may be any unit, also the own one.
static inline void measure_distances(void) {
    static const struct Row rows[] = {{"dart_put_at", put, NULL, 1, 0},
                                      {"dart_get_at", get, NULL, 1, 0}};
    const dart_gptr_t usual = target;
    for (int unit = 0; me == 0 && unit < npes; ++unit) {
        dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(unit));
        for (int row = 0; row < 2; ++row) measure(&rows[row], "unit", unit, 8);
    }
    target = usual;
    meet();
}

// RETURNS: the own part of the target.
static inline void* begin_transfers(int argc, char** argv) {
    begin(argc, argv);
    target = allocate(BYTES_MAX);
    void* mine = own_part(target);
    NEED(dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(npes - 1)));
    memset(mine, 0, BYTES_MAX);
    local = aligned_alloc(64, BYTES_MAX);
    memset(local, 1, BYTES_MAX);
    meet();
    return mine;
}

static inline void end_transfers(void) {
    free(local);
    NEED(dart_team_memfree(target));
    end();
}
