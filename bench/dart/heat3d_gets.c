// SPDX-License-Identifier: BSD-3-Clause
//
// The heat conduction of heat3d.h in DART: blocking gets, or gets and a flush. The program does not
// ask where its neighbours are.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// Uses functions of the header above.
#include "bench/heat3d.h"

static dart_gptr_t allocation;
static double* own;

static double* allocate_cells(size_t bytes) {
    allocation = allocate(bytes);
    return own = own_part(allocation);
}

static void free_cells(void) { NEED(dart_team_memfree(allocation)); }

static int must_travel(int unit) {
    (void)unit;
    return 1;
}

static dart_gptr_t gptr_of(const double* cell, int unit) {
    dart_gptr_t gptr = allocation;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = (uint64_t)(cell - own) * sizeof(double);
    return gptr;
}

static void get_cells(double* to, const double* from, long count, int unit) {
    dart_get_blocking(to, gptr_of(from, unit), (size_t)count, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
}

static void start_cells(double* to, const double* from, long count, int unit) {
    dart_get(to, gptr_of(from, unit), (size_t)count, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
}

static void finish_cells(void) { dart_flush_local_all(allocation); }

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all("dart_heat");
    end();
    return 0;
}
