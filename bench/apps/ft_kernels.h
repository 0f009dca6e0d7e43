// SPDX-License-Identifier: BSD-3-Clause
//
// Fourier transforms in one dimension, radix 2, eight pencils at once, and transposition. For
// bench/apps/ft.h.
#pragma once

#include <math.h>
#include <string.h>

#include "bench/apps/ft_classes.h"

enum { kSideMax = 512, kPencils = 8, kTile = 8 };

static struct Complex roots[kSideMax / 2];

// Pencils of `n` numbers side by side, real and imaginary parts apart: this vectorizes.
struct Pencils {
    double re[kSideMax][kPencils], im[kSideMax][kPencils];
};

static void make_roots(long n) {
    for (long k = 0; k < n / 2; ++k) {
        roots[k].re = cos(2 * M_PI * (double)k / (double)n);
        roots[k].im = sin(2 * M_PI * (double)k / (double)n);
    }
}

static void butterfly(const struct Pencils* restrict in, struct Pencils* restrict out, long low,
                      long high, long to, long to_other, struct Complex w) {
    for (int i = 0; i < kPencils; ++i) {
        double re = in->re[low][i] - in->re[high][i], im = in->im[low][i] - in->im[high][i];
        out->re[to][i] = in->re[low][i] + in->re[high][i];
        out->im[to][i] = in->im[low][i] + in->im[high][i];
        out->re[to_other][i] = re * w.re - im * w.im;
        out->im[to_other][i] = re * w.im + im * w.re;
    }
}

// Stockham's form: each stage reads one array and writes the other, which sorts by itself.
// RETURNS: where the result is.
static struct Pencils* transform(struct Pencils* from, struct Pencils* to, long n, int sign) {
    for (long length = n, step = 1; length > 1; length /= 2, step *= 2) {
        for (long p = 0; p < length / 2; ++p) {
            struct Complex w = roots[p * step];
            w.im *= sign;
            for (long q = 0; q < step; ++q) {
                long low = q + step * p;
                butterfly(from, to, low, low + n / 2, q + 2 * step * p, q + step * (2 * p + 1), w);
            }
        }
        struct Pencils* swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// `count` pencils, `apart` from each other, of n numbers that are `step` apart.
static void transform_all(struct Complex* data, long n, long step, long count, long apart,
                          int sign) {
    static struct Pencils buffers[2] __attribute__((aligned(64)));
    for (long first = 0; first < count; first += kPencils, data += kPencils * apart) {
        int width = count - first < kPencils ? (int)(count - first) : kPencils;
        for (long k = 0; k < n; ++k) {
            for (int i = 0; i < width; ++i) {
                buffers[0].re[k][i] = data[k * step + i * apart].re;
                buffers[0].im[k][i] = data[k * step + i * apart].im;
            }
        }
        struct Pencils* result = transform(&buffers[0], &buffers[1], n, sign);
        for (long k = 0; k < n; ++k) {
            for (int i = 0; i < width; ++i) {
                data[k * step + i * apart].re = result->re[k][i];
                data[k * step + i * apart].im = result->im[k][i];
            }
        }
    }
}

// Matrices `next` apart, their rows `row` apart.
struct Matrices {
    long next, row;
};
// The columns of `count` matrices with `rows` and `columns` become rows of others.
static void turn(struct Complex* restrict to, struct Matrices at,
                 const struct Complex* restrict from, struct Matrices of, long count, long rows,
                 long columns) {
    for (long i = 0; i < count; ++i, from += of.next, to += at.next) {
        for (long tile = 0; tile < rows; tile += kTile) {
            long end = tile + kTile < rows ? tile + kTile : rows;
            for (long c = 0; c < columns; ++c) {
                for (long r = tile; r < end; ++r) to[c * at.row + r] = from[r * of.row + c];
            }
        }
    }
}
