// SPDX-License-Identifier: BSD-3-Clause
//
// The five-point stencil of Zhou 2016 section 7.2.3 and Zhou et al. 2015 section 4.2 without its
// communication: N x N floats in stripes of rows. The papers run Gauss-Seidel until it converges;
// here Jacobi for a fixed number of iterations, whose result does not depend on the number of
// processes.
//
// The first grid is an eigenvector of the iteration, sin(m pi x) sin(m pi y), so that each
// iteration multiplies it by cos(m pi h).
#pragma once

#include <math.h>
#include <stdlib.h>

// This process's rows, in a grid with a row of halo above and below.
struct Stripe {
    long n;      // rows and columns inside the edge, which stays 0
    long width;  // cells in a row, with its two edge cells
    long first;  // row, of all n
    long rows;
    double* sines;  // sin(m pi i h), i = 0 to n + 1
    double factor;  // the share of the amplitude that one iteration leaves
};

static inline long stripe_first_row(long n, int process, int processes) {
    return n * process / processes;
}

static inline long stripe_common_divisor(long a, long b) {
    return b ? stripe_common_divisor(b, a % b) : a;
}

// About half of the amplitude must remain after `iterations`. No row may lie where the sine is 0.
static inline void stripe_choose_mode(struct Stripe* s, long iterations) {
    const double h = M_PI / (double)(s->n + 1);
    long mode = lround(acos(pow(0.5, 1.0 / (double)iterations)) / h);
    if (mode < 1) mode = 1;
    while (mode > 1 && stripe_common_divisor(mode, s->n + 1) != 1) --mode;
    for (long i = 0; i <= s->n + 1; ++i)
        s->sines[i] = sin((double)((mode * i) % (2 * s->n + 2)) * h);
    s->sines[0] = s->sines[s->n + 1] = 0;
    s->factor = cos((double)mode * h);
}

// REQUIRES: n >= processes; the caller frees the sines.
static inline struct Stripe stripe_of(long n, int process, int processes, long iterations) {
    const long first = stripe_first_row(n, process, processes);
    struct Stripe s = {.n = n,
                       .width = n + 2,
                       .first = first,
                       .rows = stripe_first_row(n, process + 1, processes) - first,
                       .sines = malloc(sizeof(double) * (size_t)(n + 2))};
    if (!s.sines) abort();
    stripe_choose_mode(&s, iterations);
    return s;
}

// RETURNS: the bytes of the greatest stripe with its halo.
static inline size_t stripe_bytes(long n, int processes) {
    return sizeof(float) * (size_t)(n + 2) * (size_t)((n + processes - 1) / processes + 2);
}

static inline void stripe_relax_row(const struct Stripe* s, float* restrict to,
                                    const float* restrict from) {
    const float* restrict up = from - s->width;
    const float* restrict down = from + s->width;
    for (long j = 1; j <= s->n; ++j) to[j] = 0.25f * (up[j] + down[j] + from[j - 1] + from[j + 1]);
}

static inline void stripe_relax_border(const struct Stripe* s, float* to, const float* from) {
    stripe_relax_row(s, to + s->width, from + s->width);
    if (s->rows > 1) stripe_relax_row(s, to + s->rows * s->width, from + s->rows * s->width);
}

// Not inline: the same code for all callers, whose times are compared.
static __attribute__((noinline, unused)) void stripe_relax_inside(const struct Stripe* s, float* to,
                                                                  const float* from) {
    for (long i = 2; i < s->rows; ++i) stripe_relax_row(s, to + i * s->width, from + i * s->width);
}

static inline void stripe_fill(const struct Stripe* s, float* one, float* other) {
    for (long i = 0; i <= s->rows + 1; ++i) {
        for (long j = 0; j < s->width; ++j) {
            const double value = s->sines[s->first + i] * s->sines[j];
            one[i * s->width + j] = other[i * s->width + j] = (float)value;
        }
    }
}

// RETURNS: the first cell that is wrong after `iterations`, or -1.
static inline long stripe_wrong(const struct Stripe* s, const float* result, long iterations) {
    const double scale = pow(s->factor, (double)iterations);
    const double tolerance = 2e-6;  // the iteration damps the rounding errors of a float
    for (long i = 1; i <= s->rows; ++i) {
        for (long j = 1; j <= s->n; ++j) {
            const double expected = scale * s->sines[s->first + i] * s->sines[j];
            if (!(fabs(result[i * s->width + j] - expected) <= tolerance)) return i * s->width + j;
        }
    }
    return -1;
}
