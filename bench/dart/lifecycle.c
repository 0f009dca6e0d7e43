// SPDX-License-Identifier: BSD-3-Clause
//
// What do start and end, teams and allocations cost? All units take part.
//
//   dart_restart        dart_init and dart_exit, in a process that has started once
//   dart_team           a team of all units, and its end
//   dart_team_memory    64 bytes on each unit, and their end
//   dart_local_memory   64 bytes of the own unit, and their end
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"

static void restart(void) {
    NEED(dart_exit());
    NEED(dart_init(NULL, NULL));
}
static void team(void) {
    dart_team_t made = DART_TEAM_NULL;
    NEED(dart_team_clone(DART_TEAM_ALL, &made));
    NEED(dart_team_destroy(&made));
}
static void team_memory(void) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    NEED(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_BYTE, &gptr));
    NEED(dart_team_memfree(gptr));
}
static void local_memory(void) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    NEED(dart_memalloc(64, DART_TYPE_BYTE, &gptr));
    NEED(dart_memfree(gptr));
}

static void measure(const char* name, void (*call)(void), int calls) {
    double us[kSamplesMax];
    const int samples = level == TINY ? 2 : 9;
    for (int i = -1; i < samples; ++i) {
        meet();
        const double start = now_ns();
        for (int j = 0; j < calls; ++j) call();
        us[i < 0 ? 0 : i] = greatest((now_ns() - start) * 1e-3 / calls);
    }
    report(name, "calls", calls, "us", 1, us, samples, 0);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    const int calls = level == TINY ? 20 : 400;
    measure("dart_restart", restart, calls);
    measure("dart_team", team, calls);
    measure("dart_team_memory", team_memory, calls);
    measure("dart_local_memory", local_memory, calls);
    end();
    return 0;
}
