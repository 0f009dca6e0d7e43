// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is an iterative solver whose rows are spread over the units, and what does it gain by
// computing while its halo travels? stencil2d.h has the rows; they are put with handles.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/stencil2d.h"

static dart_gptr_t allocation;
static float* own;
static dart_handle_t handles[2];
static int started;

static float* allocate_cells(size_t bytes) {
    allocation = allocate(bytes);
    return own = own_part(allocation);
}

static void free_cells(void) { NEED(dart_team_memfree(allocation)); }

static dart_gptr_t gptr_of(const float* cell, int unit) {
    dart_gptr_t gptr = allocation;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = (uint64_t)(cell - own) * sizeof(float);
    return gptr;
}

static void start_row(float* to, const float* row, int unit) {
    dart_put_handle(gptr_of(to, unit), row, (size_t)mine.width, DART_TYPE_FLOAT, DART_TYPE_FLOAT,
                    &handles[started++]);
}

static void wait_rows(void) {
    dart_waitall(handles, (size_t)started);
    started = 0;
}

static void put_row(float* to, const float* row, int unit) {
    dart_put_blocking(gptr_of(to, unit), row, (size_t)mine.width, DART_TYPE_FLOAT, DART_TYPE_FLOAT);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all();
    end();
    return 0;
}
