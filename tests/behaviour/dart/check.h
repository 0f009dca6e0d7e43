// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the programs here, in C and C++. The first check that fails prints the unit and the
// line, and ends the job.

#pragma once

#include <dash/dart/if/dart.h>
#include <stdio.h>

/** The number of this unit, also before dart_init and after dart_exit: then -1. */
static inline int check_unit(void) {
    dart_global_unit_t unit = {-1};
    if (dart_initialized()) (void)dart_myid(&unit);
    return unit.id;
}

static inline int check_units(void) {
    size_t units = 0;
    (void)dart_size(&units);
    return (int)units;
}

static inline void check_failed(const char* file, int line, const char* what) {
    fprintf(stderr, "[unit %d of %d] %s:%d: not so: %s\n", check_unit(),
            dart_initialized() ? check_units() : 0, file, line, what);
    fflush(stderr);
    dart_abort(1);
}

#define CHECK(CONDITION) ((CONDITION) ? (void)0 : check_failed(__FILE__, __LINE__, #CONDITION))
/** A call that succeeds. */
#define OK(CALL) CHECK((CALL) == DART_OK)
/** A call whose arguments are refused; the message on stderr is wanted. */
#define INVALID(CALL) CHECK((CALL) == DART_ERR_INVAL)

/** All units wait for each other; their operations are complete. */
static inline void check_meet(void) { OK(dart_barrier(DART_TEAM_ALL)); }
