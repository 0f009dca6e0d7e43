// SPDX-License-Identifier: BSD-3-Clause
//
// What does it cost to make memory accessible to all units, by its bytes on each (Zhou 2016,
// 5.3.5)? For lifecycle.c (DART) and lifecycle_mpi.c.
//
//   dart_team_memory    allocation and its end
//   dart_team_register  registration of memory that malloc gave, and its end
//
// At each size a neighbour's last byte is read once, which is the check.
#pragma once

#include "bench/reports.h"

// The program defines these.
static void meet(void);
static double greatest(double value);
static void team_memory(void);
static void team_register(void);
static void check_memory(void);
static void check_register(void);

static size_t bytes;
static char* registered;

static void measure(const char* name, const char* x_name, double x, void (*call)(void), int calls) {
    double us[kSamplesMax];
    const int samples = level == TINY ? 2 : 9;
    for (int i = -1; i < samples; ++i) {
        meet();
        const double start = now_ns();
        for (int j = 0; j < calls; ++j) call();
        us[i < 0 ? 0 : i] = greatest((now_ns() - start) * 1e-3 / calls);
    }
    report(name, x_name, x, "us", 1, us, samples, 0);
}

static inline void measure_sizes(void) {
    const size_t most = level == TINY ? MIB : 16 * MIB;
    registered = malloc(most);
    for (bytes = 64; bytes <= most; bytes *= bytes == 64 ? 64 : 16) {
        const int calls = level == TINY ? 5 : bytes > 4096 ? 20 : 400;
        measure("dart_team_memory", "bytes", (double)bytes, team_memory, calls);
        check_memory();
        measure("dart_team_register", "bytes", (double)bytes, team_register, calls);
        check_register();
    }
    free(registered);
}
