// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is an iterative solver whose rows are spread over the units, and what does it gain by
// computing while its halo travels (Zhou 2016, figure 7.16)? stencil_rows.h has the stencil. The
// border rows are put with handles; a barrier ends each iteration.
//
//   dart_stencil2d           the inner rows are computed before the puts are waited for
//   dart_stencil2d_blocking  after
//   dart_stencil2d_halo      microseconds of an iteration in the puts and the waits of the first
//   dart_stencil2d_wait      in its barrier
//
// Verified: every cell, after every sample.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
#include "bench/stencil_rows.h"

static struct Stripe mine;
static int above, below;       // the units next to this one, -1: the edge
static long above_rows;        // of the unit above
static dart_gptr_t memory[2];  // halo, rows, halo; iterations go from one to the other
static float* grid[2];
static double halo_ns, wait_ns;

static dart_handle_t start_row(int field, int unit, long to_row, const float* row) {
    dart_handle_t handle = DART_HANDLE_NULL;
    dart_gptr_t gptr = memory[field];
    if (unit < 0) return handle;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = (uint64_t)(to_row * mine.width) * sizeof(float);
    dart_put_handle(gptr, row, (size_t)mine.width, DART_TYPE_FLOAT, DART_TYPE_FLOAT, &handle);
    return handle;
}

static void iterate(int field, int overlaps) {
    float *from = grid[field], *to = grid[1 - field];
    stripe_relax_border(&mine, to, from);
    if (!overlaps) stripe_relax_inside(&mine, to, from);
    double start = now_ns();
    dart_handle_t handles[2] = {
        start_row(1 - field, above, above_rows + 1, to + mine.width),
        start_row(1 - field, below, 0, to + mine.rows * mine.width),
    };
    halo_ns += now_ns() - start;
    if (overlaps) stripe_relax_inside(&mine, to, from);
    start = now_ns();
    dart_waitall(handles, 2);
    const double waited = now_ns();
    halo_ns += waited - start;
    meet();
    wait_ns += now_ns() - waited;
}

struct Sample {
    double rate, halo_us, wait_us;
};

static struct Sample one_sample(long iterations, int overlaps) {
    stripe_fill(&mine, grid[0], grid[1]);
    halo_ns = wait_ns = 0;
    meet();
    const double start = now_ns();
    for (long k = 0; k < iterations; ++k) iterate((int)(k % 2), overlaps);
    const double taken = greatest(now_ns() - start);
    if (stripe_wrong(&mine, grid[iterations % 2], iterations) >= 0) give_up("a cell is wrong");
    return (struct Sample){
        .rate = (double)mine.n * (double)mine.n * (double)iterations * 1e3 / taken,
        .halo_us = greatest(halo_ns) * 1e-3 / (double)iterations,
        .wait_us = greatest(wait_ns) * 1e-3 / (double)iterations,
    };
}

static void measure(long iterations) {
    double rate[kSamplesMax], blocking[kSamplesMax], halo[kSamplesMax], wait[kSamplesMax];
    const int samples = by_level(1, 9, 21);
    const double n = (double)mine.n;
    for (int i = -1; i < samples; ++i) {  // one to warm up
        const int at = i < 0 ? 0 : i;
        const struct Sample sample = one_sample(iterations, 1);
        rate[at] = sample.rate;
        halo[at] = sample.halo_us;
        wait[at] = sample.wait_us;
        blocking[at] = one_sample(iterations, 0).rate;
    }
    report("dart_stencil2d", "grid", n, "Mcells/s", 0, rate, samples, 0);
    report("dart_stencil2d_blocking", "grid", n, "Mcells/s", 0, blocking, samples, 0);
    report("dart_stencil2d_halo", "grid", n, "us", 1, halo, samples, 0);
    report("dart_stencil2d_wait", "grid", n, "us", 1, wait, samples, 0);
}

static void measure_grid(long n, long iterations) {
    mine = stripe_of(n, me, npes, iterations);
    above = me - 1;
    below = me + 1 < npes ? me + 1 : -1;
    above_rows = above >= 0 ? mine.first - stripe_first_row(n, above, npes) : 0;
    for (int i = 0; i < 2; ++i) {
        memory[i] = allocate(stripe_bytes(n, npes));
        grid[i] = own_part(memory[i]);
    }
    measure(iterations);
    meet();
    for (int i = 0; i < 2; ++i) NEED(dart_team_memfree(memory[i]));
    free(mine.sines);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_grid(64, by_level(20, 500, 1000));
    if (level != TINY) measure_grid(1024, by_level(0, 60, 200));
    if (level == FULL) measure_grid(4096, 20);
    end();
    return 0;
}
