// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is an iterative solver whose rows are spread over the PEs, and how much of the halo
// exchange does it wait for? The five-point stencil of Zhou 2016 section 7.2.3 and Zhou et al.
// 2015 section 4.2: N x N floats in stripes of rows, the border rows sent by non-blocking puts
// while the inner rows are computed. The papers run Gauss-Seidel until it converges; here Jacobi
// for a fixed number of iterations, whose result does not depend on the number of PEs.
//
// Verified: the first grid is an eigenvector of the iteration, sin(m pi x) sin(m pi y), so that
// each iteration multiplies it by cos(m pi h); every cell is compared with that after every sample.
#define _GNU_SOURCE
#include <math.h>

#include "bench/measure.h"

enum { kSamplesMax = 64 };

static long n;              // rows and columns inside the edge, which stays 0
static long width;          // of a row with its two edge cells
static long rows;           // of this PE
static int above, below;    // the PEs next to this one, -1: the edge
static long above_rows;     // of the PE above
static float* grid[2];      // symmetric: halo, rows, halo; iterations go from one to the other
static double* sines;       // sin(m pi i h), i = 0 to n + 1
static double factor;       // of one iteration
static long* arrived;       // symmetric: the last step whose halo came from above, from below
static long step;           // iterations so far, over all samples
static double exchange_ns;  // spent on the halos

static long first_row(int pe) { return n * pe / npes; }

static void relax_row(float* restrict to, const float* restrict from) {
    const float* restrict up = from - width;
    const float* restrict down = from + width;
    for (long j = 1; j <= n; ++j) to[j] = 0.25f * (up[j] + down[j] + from[j - 1] + from[j + 1]);
}

// The border rows first: they travel while the inner rows are computed.
static void iterate(const float* from, float* to) {
    ++step;
    relax_row(to + width, from + width);
    if (rows > 1) relax_row(to + rows * width, from + rows * width);
    double start = now_ns();
    size_t row_bytes = sizeof(float) * (size_t)width;
    if (above >= 0) shmem_putmem_nbi(to + (above_rows + 1) * width, to + width, row_bytes, above);
    if (below >= 0) shmem_putmem_nbi(to, to + rows * width, row_bytes, below);
    double puts_done = now_ns();
    for (long i = 2; i < rows; ++i) relax_row(to + i * width, from + i * width);
    double inner_done = now_ns();
    shmem_quiet();
    if (above >= 0) shmem_long_p(&arrived[1], step, above);
    if (below >= 0) shmem_long_p(&arrived[0], step, below);
    if (above >= 0) shmem_long_wait_until(&arrived[0], SHMEM_CMP_GE, step);
    if (below >= 0) shmem_long_wait_until(&arrived[1], SHMEM_CMP_GE, step);
    exchange_ns += puts_done - start + now_ns() - inner_done;
}

static long common_divisor(long a, long b) { return b ? common_divisor(b, a % b) : a; }

// About half of the amplitude must remain after `iterations`. No row may lie where the sine is 0.
static void choose_mode(long iterations) {
    double h = M_PI / (double)(n + 1);
    long mode = lround(acos(pow(0.5, 1.0 / (double)iterations)) / h);
    if (mode < 1) mode = 1;
    while (mode > 1 && common_divisor(mode, n + 1) != 1) --mode;
    for (long i = 0; i <= n + 1; ++i) sines[i] = sin((double)((mode * i) % (2 * n + 2)) * h);
    sines[0] = sines[n + 1] = 0;
    factor = cos((double)mode * h);
}

static void fill(void) {
    for (long i = 0; i <= rows + 1; ++i) {
        for (long j = 0; j < width; ++j) {
            double value = sines[first_row(me) + i] * sines[j];
            grid[0][i * width + j] = grid[1][i * width + j] = (float)value;
        }
    }
    shmem_barrier_all();
}

static void check(const float* result, long iterations) {
    double scale = pow(factor, (double)iterations);
    const double tolerance = 2e-6;  // the iteration damps the rounding errors of a float
    for (long i = 1; i <= rows; ++i) {
        for (long j = 1; j <= n; ++j) {
            double expected = scale * sines[first_row(me) + i] * sines[j];
            double found = result[i * width + j];
            if (fabs(found - expected) <= tolerance) continue;
            give_up("stencil of %ld: row %ld column %ld: expected %.9g, found %.9g", n,
                    first_row(me) + i, j, expected, found);
        }
    }
}

static void measure(long iterations, int samples) {
    double rate[kSamplesMax], exchange_us[kSamplesMax];
    for (int i = -1; i < samples; ++i) {  // one sample to warm up
        fill();
        exchange_ns = 0;
        double start = now_ns();
        for (long k = 0; k < iterations; ++k) iterate(grid[k % 2], grid[1 - k % 2]);
        double taken = fold_all(now_ns() - start, MAX_OF_ALL);
        double exchange = fold_all(exchange_ns, MAX_OF_ALL);
        check(grid[iterations % 2], iterations);
        if (i < 0) continue;
        rate[i] = (double)n * (double)n * (double)iterations * 1e3 / taken;
        exchange_us[i] = exchange * 1e-3 / (double)iterations;
    }
    report("stencil2d", "grid", (double)n, "Mcells/s", 0, rate, samples, 0);
    if (npes > 1) report("stencil2d_halo", "grid", (double)n, "us", 1, exchange_us, samples, 0);
}

static void measure_grid(long size, long iterations, int samples) {
    n = size;
    width = n + 2;
    if (n < npes) {
        if (me == 0) printf("stencil of %ld rows: too few for %d PEs, left out\n", n, npes);
        return;
    }
    rows = first_row(me + 1) - first_row(me);
    above = me - 1;
    below = me + 1 < npes ? me + 1 : -1;
    above_rows = above >= 0 ? first_row(me) - first_row(above) : 0;
    size_t bytes = sizeof(float) * (size_t)width * (size_t)((n + npes - 1) / npes + 2);
    for (int i = 0; i < 2; ++i) grid[i] = allocate(64, bytes);
    sines = malloc(sizeof(double) * (size_t)width);
    if (!sines) give_up("no memory");
    choose_mode(iterations);
    measure(iterations, samples);
    free(sines);
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
