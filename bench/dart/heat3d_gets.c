// SPDX-License-Identifier: BSD-3-Clause
//
// What does a halo exchange by blocking gets cost through DART, and how much of that is data and
// how much synchronisation? heat3d.h has the problem and what is measured; bench/apps/heat3d.c is
// a similar one in OpenSHMEM.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// It declares what stands above, so it comes last.
#include "bench/dart/heat3d.h"

static dart_gptr_t fields[2];

static double* allocate_field(int field, size_t bytes) {
    fields[field] = allocate(bytes);
    return own_part(fields[field]);
}

static void free_field(int field) { NEED(dart_team_memfree(fields[field])); }

static void get_cells(int field, long to, long from, long cells, int unit) {
    dart_gptr_t gptr = fields[field];
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = (uint64_t)from * sizeof(double);
    dart_get_blocking(mine[field] + to, gptr, (size_t)cells, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all("dart_heat_weak", "dart_heat_strong");
    end();
    return 0;
}
