// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of the programs here. They use DART only, so any library of DART takes them:
// cc -I DASH/dart-if/include -I ROOT PROGRAM -ldart-NAME.
#pragma once

#include <dash/dart/if/dart.h>

#include "bench/reports.h"

enum { kSamplesMax = 64 };

static inline void give_up(const char* what) {
    fprintf(stderr, "unit %d: %s\n", me, what);
    dart_abort(1);
}
static inline void need(dart_ret_t result, const char* what) {
    if (result != DART_OK) give_up(what);
}
#define NEED(CALL) need(CALL, #CALL)

static inline void meet(void) { NEED(dart_barrier(DART_TEAM_ALL)); }

static inline void begin(int argc, char** argv) {
    NEED(dart_init(&argc, &argv));
    dart_global_unit_t id;
    size_t size;
    NEED(dart_myid(&id));
    NEED(dart_size(&size));
    me = id.id;
    npes = (int)size;
    read_level(argc, argv);
}

static inline void end(void) {
    meet();
    report_end();
    NEED(dart_exit());
}

static inline double greatest(double value) {
    double result = 0;
    NEED(dart_allreduce(&value, &result, 1, DART_TYPE_DOUBLE, DART_OP_MAX, DART_TEAM_ALL));
    return result;
}
static inline double sum_of_all(double value) {
    double result = 0;
    NEED(dart_allreduce(&value, &result, 1, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL));
    return result;
}

static inline dart_gptr_t allocate(size_t bytes) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    NEED(dart_team_memalloc_aligned(DART_TEAM_ALL, bytes, DART_TYPE_BYTE, &gptr));
    meet();
    return gptr;
}

static inline void* own_part(dart_gptr_t gptr) {
    void* address = NULL;
    NEED(dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me)));
    NEED(dart_gptr_getaddr(gptr, &address));
    return address;
}
