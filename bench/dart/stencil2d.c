// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is an iterative solver whose rows are spread over the units, and what does it gain by
// computing while its halo travels? stencil2d.h has the rows; they are put with handles.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/stencil2d.h"

static dart_gptr_t memory[2];
static dart_handle_t handles[2];
static int started;

static float* allocate_grid(int field, size_t bytes) {
    memory[field] = allocate(bytes);
    return own_part(memory[field]);
}

static void free_grid(int field) { NEED(dart_team_memfree(memory[field])); }

static dart_gptr_t row_of(int field, int unit, long row) {
    dart_gptr_t gptr = memory[field];
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = (uint64_t)(row * mine.width) * sizeof(float);
    return gptr;
}

static void start_row(int field, int unit, long to_row, const float* row) {
    dart_put_handle(row_of(field, unit, to_row), row, (size_t)mine.width, DART_TYPE_FLOAT,
                    DART_TYPE_FLOAT, &handles[started++]);
}

static void wait_rows(int field) {
    (void)field;  // a handle knows it
    dart_waitall(handles, (size_t)started);
    started = 0;
}

static void put_row(int field, int unit, long to_row, const float* row) {
    dart_put_blocking(row_of(field, unit, to_row), row, (size_t)mine.width, DART_TYPE_FLOAT,
                      DART_TYPE_FLOAT);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all();
    end();
    return 0;
}
