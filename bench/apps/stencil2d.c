// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is an iterative solver whose rows are spread over the PEs, and what does it gain by
// computing while its halo travels (Zhou 2016, figure 7.16)? stencil_rows.h has the stencil. The
// border rows are sent by nonblocking puts.
//
//   stencil2d           the inner rows are computed before the puts are waited for
//   stencil2d_blocking  before the puts begin
//   stencil2d_halo      microseconds of an iteration of the first in the puts and the waits
//
// Verified: every cell, after every sample.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/stencil_rows.h"

enum { kSamplesMax = 64 };

static struct Stripe mine;
static int above, below;    // the PEs next to this one, -1: the edge
static long above_rows;     // rows of the PE above
static float* grid[2];      // symmetric: halo, rows, halo; iterations go from one to the other
static long* arrived;       // symmetric: the last step whose halo came from above, from below
static long step;           // iterations so far, over all samples
static double exchange_ns;  // spent on the halos

static void iterate(const float* from, float* to, int overlaps) {
    ++step;
    stripe_relax_border(&mine, to, from);
    if (!overlaps) stripe_relax_inside(&mine, to, from);
    double start = now_ns();
    const long width = mine.width;
    size_t row_bytes = sizeof(float) * (size_t)width;
    if (above >= 0) shmem_putmem_nbi(to + (above_rows + 1) * width, to + width, row_bytes, above);
    if (below >= 0) shmem_putmem_nbi(to, to + mine.rows * width, row_bytes, below);
    double puts_done = now_ns();
    if (overlaps) stripe_relax_inside(&mine, to, from);
    double inner_done = now_ns();
    shmem_quiet();
    if (above >= 0) shmem_long_p(&arrived[1], step, above);
    if (below >= 0) shmem_long_p(&arrived[0], step, below);
    if (above >= 0) shmem_long_wait_until(&arrived[0], SHMEM_CMP_GE, step);
    if (below >= 0) shmem_long_wait_until(&arrived[1], SHMEM_CMP_GE, step);
    exchange_ns += puts_done - start + now_ns() - inner_done;
}

static void check(const float* result, long iterations) {
    const long at = stripe_wrong(&mine, result, iterations);
    if (at < 0) return;
    give_up("stencil of %ld: row %ld column %ld: found %.9g", mine.n, mine.first + at / mine.width,
            at % mine.width, (double)result[at]);
}

struct Sample {
    double rate, exchange_us;
};

static struct Sample one_sample(long iterations, int overlaps) {
    stripe_fill(&mine, grid[0], grid[1]);
    shmem_barrier_all();
    exchange_ns = 0;
    double start = now_ns();
    for (long k = 0; k < iterations; ++k) iterate(grid[k % 2], grid[1 - k % 2], overlaps);
    double taken = fold_all(now_ns() - start, MAX_OF_ALL);
    double exchange = fold_all(exchange_ns, MAX_OF_ALL);
    check(grid[iterations % 2], iterations);
    return (struct Sample){
        .rate = (double)mine.n * (double)mine.n * (double)iterations * 1e3 / taken,
        .exchange_us = exchange * 1e-3 / (double)iterations,
    };
}

static void measure(long iterations, int samples) {
    double rate[kSamplesMax], blocking[kSamplesMax], exchange_us[kSamplesMax];
    for (int i = -1; i < samples; ++i) {  // one sample to warm up
        const int at = i < 0 ? 0 : i;
        const struct Sample sample = one_sample(iterations, 1);
        rate[at] = sample.rate;
        exchange_us[at] = sample.exchange_us;
        blocking[at] = one_sample(iterations, 0).rate;
    }
    report("stencil2d", "grid", (double)mine.n, "Mcells/s", 0, rate, samples, 0);
    report("stencil2d_blocking", "grid", (double)mine.n, "Mcells/s", 0, blocking, samples, 0);
    if (npes > 1)
        report("stencil2d_halo", "grid", (double)mine.n, "us", 1, exchange_us, samples, 0);
}

static void measure_grid(long n, long iterations, int samples) {
    if (n < npes) {
        if (me == 0) printf("stencil of %ld rows: too few for %d PEs, left out\n", n, npes);
        return;
    }
    mine = stripe_of(n, me, npes, iterations);
    above = me - 1;
    below = me + 1 < npes ? me + 1 : -1;
    above_rows = above >= 0 ? mine.first - stripe_first_row(n, above, npes) : 0;
    const size_t bytes = stripe_bytes(n, npes);
    for (int i = 0; i < 2; ++i) grid[i] = allocate(64, bytes);
    measure(iterations, samples);
    free(mine.sines);
    shmem_barrier_all();
    shmem_free(grid[1]);
    shmem_free(grid[0]);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    long size = option("--grid", 0);
    long iterations = option("--iterations", 100);
    options_end("[--grid N [--iterations N]]");
    if (size < 0 || iterations < 1) give_up("--grid and --iterations take positive numbers");
    arrived = allocate(64, 64);
    int samples = by_level(1, 9, 21);
    if (size) {
        measure_grid(size, iterations, samples);
    } else {  // 64 and 1024: those of Zhou et al. 2015
        measure_grid(64, by_level(20, 2000, 4000), samples);
        if (level != TINY) measure_grid(1024, by_level(0, 100, 200), samples);
        if (level == FULL) measure_grid(4096, 50, samples);
    }
    end();
    return 0;
}
