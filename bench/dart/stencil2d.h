// SPDX-License-Identifier: BSD-3-Clause
//
// The stencil of stencil_rows.h, whose rows are spread over the units, for stencil2d.c (DART) and
// stencil2d_mpi.c. Jacobi for a number of iterations (Zhou 2016, figure 7.16): the border rows are
// put without blocking, a barrier ends each iteration.
//
//   dart_stencil2d           the inner rows are computed before the puts are waited for
//   dart_stencil2d_blocking  after
//   dart_stencil2d_halo      microseconds of an iteration in the puts and the waits of the first
//   dart_stencil2d_wait      in its barrier
//
// Gauss-Seidel until it converges (Zhou et al. 2015, figure 6): each unit relaxes its rows in
// place, an all-reduce tells the greatest change, blocking puts bring the border rows, a barrier.
//
//   dart_stencil2d_converged        milliseconds
//   dart_stencil2d_converged_halo   in the puts and the barriers, of the slowest unit
//
// Verified: every cell, after every sample.
#pragma once

#include "bench/stencil_rows.h"

// The program defines these. Both puts bring a row of the own part to another unit, where `to` is
// the address that the place has in the own part; wait_rows completes those that start_row starts.
static void give_up(const char* what);
static void meet(void);
static double greatest(double value);
static float* allocate_cells(size_t bytes);
static void free_cells(void);
static void start_row(float* to, const float* row, int unit);
static void wait_rows(void);
static void put_row(float* to, const float* row, int unit);

static struct Stripe mine;
static int above, below;  // the units next to this one, -1: the edge
static long above_rows;   // rows of the unit above
static float* grid[2];    // halo, rows, halo; iterations go from one to the other
static double halo_ns, wait_ns;

typedef void (*PutRow)(float* to, const float* row, int unit);

static void put_border(PutRow row_by, float* cells) {
    if (above >= 0) row_by(cells + (above_rows + 1) * mine.width, cells + mine.width, above);
    if (below >= 0) row_by(cells, cells + mine.rows * mine.width, below);
}

static void iterate(int field, int overlaps) {
    float *from = grid[field], *to = grid[1 - field];
    stripe_relax_border(&mine, to, from);
    if (!overlaps) stripe_relax_inside(&mine, to, from);
    double start = now_ns();
    put_border(start_row, to);
    halo_ns += now_ns() - start;
    if (overlaps) stripe_relax_inside(&mine, to, from);
    start = now_ns();
    wait_rows();
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

// ---- Gauss-Seidel ----

// Solves Laplace's equation whose values at the edge are those of x * y, which is then the
// solution everywhere.
static float solution(long i, long j) {
    const float side = (float)(mine.n + 1);
    return (float)(mine.first + i) / side * ((float)j / side);
}

static void fill_edge(float* cells) {
    for (long i = 0; i <= mine.rows + 1; ++i) {
        const long y = mine.first + i;
        for (long j = 0; j < mine.width; ++j) {
            const int is_edge = j == 0 || j == mine.n + 1 || y == 0 || y == mine.n + 1;
            cells[i * mine.width + j] = is_edge ? solution(i, j) : 0;
        }
    }
}

// RETURNS: the greatest change.
static float relax_in_place(float* cells) {
    float most = 0;
    for (long i = 1; i <= mine.rows; ++i) {
        float* row = cells + i * mine.width;
        for (long j = 1; j <= mine.n; ++j) {
            const float old = row[j];
            row[j] = 0.25f * (row[j - mine.width] + row[j + mine.width] + row[j - 1] + row[j + 1]);
            most = fmaxf(most, fabsf(row[j] - old));
        }
    }
    return most;
}

struct Convergence {
    double ms, halo_ms;
};

static struct Convergence converge(void) {
    const double enough = 2e-6;
    const long iterations_most = 100 * mine.n * mine.n;
    long iterations = 0;
    fill_edge(grid[0]);
    halo_ns = 0;
    meet();
    const double start = now_ns();
    // The all-reduce also lets all units have read their halo before a put changes it.
    while (greatest(relax_in_place(grid[0])) > enough && iterations++ < iterations_most) {
        const double before = now_ns();
        put_border(put_row, grid[0]);
        meet();
        halo_ns += now_ns() - before;
    }
    const double taken = greatest(now_ns() - start);
    for (long i = 1; i <= mine.rows; ++i) {
        for (long j = 1; j <= mine.n; ++j) {
            const float error = grid[0][i * mine.width + j] - solution(i, j);
            if (!(fabsf(error) < 5e-3f)) give_up("Gauss-Seidel has not converged");
        }
    }
    return (struct Convergence){.ms = taken * 1e-6, .halo_ms = greatest(halo_ns) * 1e-6};
}

static void measure_convergence(void) {
    double all[kSamplesMax], halo[kSamplesMax];
    const int samples = by_level(1, 7, 15);
    for (int i = -1; i < samples; ++i) {  // one to warm up
        const struct Convergence sample = converge();
        all[i < 0 ? 0 : i] = sample.ms;
        halo[i < 0 ? 0 : i] = sample.halo_ms;
    }
    report("dart_stencil2d_converged", "grid", (double)mine.n, "ms", 1, all, samples, 0);
    report("dart_stencil2d_converged_halo", "grid", (double)mine.n, "ms", 1, halo, samples, 0);
}

static void with_grid(long n, long iterations, int is_to_converge) {
    mine = stripe_of(n, me, npes, iterations);
    above = me - 1;
    below = me + 1 < npes ? me + 1 : -1;
    above_rows = above >= 0 ? mine.first - stripe_first_row(n, above, npes) : 0;
    // Half a page apart: stores that have the last bits of a load's address delay it.
    const size_t bytes = stripe_bytes(n, npes), step = (bytes + 4095) / 4096 * 4096 + 2048;
    grid[0] = allocate_cells(step + bytes);
    grid[1] = grid[0] + step / sizeof(float);
    measure(iterations);
    if (is_to_converge) measure_convergence();
    meet();
    free_cells();
    free(mine.sines);
}

static void measure_all(void) {
    with_grid(by_level(16, 64, 64), by_level(20, 500, 1000), 1);
    if (level != TINY) with_grid(1024, by_level(0, 60, 200), 0);
    if (level == FULL) with_grid(4096, 20, 0);
}
