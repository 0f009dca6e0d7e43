// SPDX-License-Identifier: BSD-3-Clause
//
// What do start and end, teams and allocations cost? All units take part.
//
//   dart_restart        dart_init and dart_exit, in a process that has started once
//   dart_team           a team of all units, and its end
//   dart_local_memory   64 bytes of the own unit, and their end
//   dart_team_memory    memory on each unit, by its bytes, and its end (Zhou 2016, 5.3.5)
//   dart_team_register  registration of memory that malloc gave, and its end
//
// After each size of the last two a neighbour's bytes are read once, which is the check.
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
static void local_memory(void) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    NEED(dart_memalloc(64, DART_TYPE_BYTE, &gptr));
    NEED(dart_memfree(gptr));
}

static size_t bytes;
static char* registered;

static dart_gptr_t allocated(void) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    NEED(dart_team_memalloc_aligned(DART_TEAM_ALL, bytes, DART_TYPE_BYTE, &gptr));
    return gptr;
}
static dart_gptr_t register_bytes(void) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    NEED(dart_team_memregister(DART_TEAM_ALL, bytes, DART_TYPE_BYTE, registered, &gptr));
    return gptr;
}
static void team_memory(void) { NEED(dart_team_memfree(allocated())); }
static void team_register(void) { NEED(dart_team_memderegister(register_bytes())); }

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

static void check_neighbour(dart_gptr_t gptr) {
    const int neighbour = (me + 1) % npes;
    char* mine = own_part(gptr);
    char last = -1;
    mine[bytes - 1] = (char)me;
    meet();
    NEED(dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(neighbour)));
    NEED(dart_gptr_incaddr(&gptr, (int64_t)bytes - 1));
    NEED(dart_get_blocking(&last, gptr, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    if (last != (char)neighbour) give_up("the neighbour's memory is wrong");
    meet();
}

static void measure_sizes(void) {
    const size_t most = level == TINY ? MIB : 16 * MIB;
    registered = malloc(most);
    for (bytes = 64; bytes <= most; bytes *= bytes == 64 ? 64 : 16) {
        const int calls = level == TINY ? 5 : bytes > 4096 ? 20 : 400;
        measure("dart_team_memory", "bytes", (double)bytes, team_memory, calls);
        const dart_gptr_t memory = allocated();
        check_neighbour(memory);
        NEED(dart_team_memfree(memory));
        measure("dart_team_register", "bytes", (double)bytes, team_register, calls);
        const dart_gptr_t view = register_bytes();
        check_neighbour(view);
        NEED(dart_team_memderegister(view));
    }
    free(registered);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    const int calls = level == TINY ? 20 : 400;
    measure("dart_restart", "calls", calls, restart, calls);
    measure("dart_team", "calls", calls, team, calls);
    measure("dart_local_memory", "calls", calls, local_memory, calls);
    measure_sizes();
    end();
    return 0;
}
