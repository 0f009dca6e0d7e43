// SPDX-License-Identifier: BSD-3-Clause
//
// What do start and end, teams and allocations cost? All units take part.
//
//   dart_restart        dart_init and dart_exit, in a process that has started once
//   dart_team           a team of all units, and its end
//   dart_local_memory   64 bytes of the own unit, and their end
//
// lifecycle_sizes.h has the rows of team memory.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/lifecycle_sizes.h"

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

static void check_memory(void) {
    const dart_gptr_t memory = allocated();
    check_neighbour(memory);
    NEED(dart_team_memfree(memory));
}
static void check_register(void) {
    const dart_gptr_t view = register_bytes();
    check_neighbour(view);
    NEED(dart_team_memderegister(view));
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
