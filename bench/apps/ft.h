// SPDX-License-Identifier: BSD-3-Clause
//
// A three-dimensional Fourier transform whose transposition exchanges data between all pairs of
// PEs. It follows the specification of the NAS Parallel Benchmarks' FT (NASA RNR-94-007), which
// Christgau 2017 section 4.4.4 runs: a heat equation solved by a forward transform of random
// numbers, then six times (class B: 20) a decay of all waves, an inverse transform and a checksum;
// classes S, W, A and B. Written from the specification; it is not the official code, and its
// numbers are no NPB results.
//
// Each PE has planes of z, [z][y][x], and in the frequencies planes of x, [y][x][z]: one exchange a
// transform. The counts of planes need not be equal. The FFT is radix 2, eight pencils at once. A
// program includes this file, and says how blocks are exchanged, behind the computation or in
// pieces (--pieces) while the next piece is transformed. Reports, by way:
//
//   NAME            MFLOPS as the specification counts operations
//   NAME_exchange   us for each exchange in puts and synchronization
//   NAME_fft, _transpose, _put, _sync   us for each exchange; evolution and checksum are the rest
//
// Verified: the specification's checksums, to twelve digits.
#pragma once

#include <math.h>

#include "bench/apps/ft_classes.h"
#include "bench/measure.h"

enum { kSideMax = 512, kPencils = 8, kTile = 8, kSamplesMax = 64 };
enum { kWaysMax = 4 };

static const struct Class* class;
static long nx, ny, nz;
static long my_x, my_z;           // planes of this PE
static long pieces;               // pieces of an overlapping exchange
static long pieces_wanted;        // 0: by their size
static struct Complex* cells;     // in space, or the frequencies of this time
static struct Complex* waves;     // the frequencies of the first state
static struct Complex* outgoing;  // a block for each PE
static struct Complex* incoming;  // a block from each PE; symmetric, or private to the way
static struct Complex roots[kSideMax / 2];
static double decay[3][kSideMax], decay_once[3][kSideMax];  // by x, y, z
enum part { FFT, TRANSPOSE, PUT, SYNC, PARTS };
static double part_ns[PARTS];
static double* sums;  // symmetric: dest of the all-reduce
static double reduce_work[2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long reduce_sync[2][SHMEM_REDUCE_SYNC_SIZE];

// One way to exchange blocks.
struct Exchange {
    const char* name;
    int overlaps;                   // in pieces
    void (*prepare)(size_t bytes);  // before each solution; those of `incoming`. Or NULL
    void (*begin)(void);            // then this PE has read all of `incoming`
    void (*put)(struct Complex* to, const struct Complex* from, size_t bytes, int pe);
    void (*end)(void);      // waits until all blocks are in `incoming`
    void (*release)(void);  // after each solution. Or NULL
};
static const struct Exchange* way;

static long first_of(long planes, int pe) { return planes * pe / npes; }
static long planes_of(long planes, int pe) {
    return first_of(planes, pe + 1) - first_of(planes, pe);
}

// ---- One dimension ----

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

// The planes of z from `begin` to `end`.
static void transform_x_and_y(int sign, long begin, long end) {
    const double start = now_ns();
    make_roots(nx);
    transform_all(cells + begin * ny * nx, nx, 1, ny * (end - begin), nx, sign);
    make_roots(ny);
    for (long z = begin; z < end; ++z) transform_all(cells + z * ny * nx, ny, nx, nx, 1, sign);
    part_ns[FFT] += now_ns() - start;
}

// The rows of y from `begin` to `end`.
static void transform_z(int sign, long begin, long end) {
    const double start = now_ns();
    make_roots(nz);
    transform_all(cells + begin * my_x * nz, nz, 1, (end - begin) * my_x, nz, sign);
    part_ns[FFT] += now_ns() - start;
}

// ---- From planes of z to planes of x and back ----

// For each y a matrix `from` with rows `row_step` apart; its columns become rows of `to`.
static void turn(struct Complex* restrict to, const struct Complex* restrict from, long y_step,
                 long row_step, long rows, long columns) {
    for (long y = 0; y < ny; ++y, from += y_step, to += rows * columns) {
        for (long tile = 0; tile < rows; tile += kTile) {
            long end = tile + kTile < rows ? tile + kTile : rows;
            for (long c = 0; c < columns; ++c) {
                for (long r = tile; r < end; ++r) to[c * rows + r] = from[r * row_step + c];
            }
        }
    }
}

static void put_numbers(long to, long from, long count, int pe) {
    const double start = now_ns();
    way->put(incoming + to, outgoing + from, sizeof(struct Complex) * (size_t)count, pe);
    part_ns[PUT] += now_ns() - start;
}

// A block of `mine` planes here x ny x those of the other PE. Each PE's blocks lie in the order of
// the planes of the PE at the other end.
static void put_block(long mine, long here_first, long theirs, long theirs_first, int pe) {
    put_numbers(here_first * ny * theirs, theirs_first * ny * mine, mine * ny * theirs, pe);
}

static void synchronize(void (*step)(void)) {
    const double start = now_ns();
    step();
    part_ns[SYNC] += now_ns() - start;
}

static void to_planes_of_x(void) {
    synchronize(way->begin);
    for (int i = 1; i <= npes; ++i) {
        int pe = (me + i) % npes;
        long first = first_of(nx, pe), planes = planes_of(nx, pe);
        turn(outgoing + first * ny * my_z, cells + first, nx, ny * nx, my_z, planes);
        put_block(my_z, first_of(nz, me), planes, first, pe);
    }
    synchronize(way->end);
    const struct Complex* block = incoming;
    for (int pe = 0; pe < npes; ++pe) {
        long first = first_of(nz, pe), planes = planes_of(nz, pe);
        for (long row = 0; row < ny * my_x; ++row, block += planes)
            memcpy(cells + row * nz + first, block, sizeof(struct Complex) * (size_t)planes);
    }
}

static void to_planes_of_z(void) {
    synchronize(way->begin);
    for (int i = 1; i <= npes; ++i) {
        int pe = (me + i) % npes;
        long first = first_of(nz, pe), planes = planes_of(nz, pe);
        turn(outgoing + first * ny * my_x, cells + first, my_x * nz, nz, my_x, planes);
        put_block(my_x, first_of(nx, me), planes, first, pe);
    }
    synchronize(way->end);
    const struct Complex* block = incoming;
    for (int pe = 0; pe < npes; ++pe) {
        long first = first_of(nx, pe), planes = planes_of(nx, pe);
        for (long y = 0; y < ny; ++y) {
            for (long z = 0; z < my_z; ++z, block += planes) {
                struct Complex* to = cells + (z * ny + y) * nx + first;
                memcpy(to, block, sizeof(struct Complex) * (size_t)planes);
            }
        }
    }
}

// ---- The same in pieces, each put while the next one is transformed ----

static void copy(struct Complex* to, const struct Complex* from, long count) {
    memcpy(to, from, sizeof(struct Complex) * (size_t)count);
}

// The first `planes` numbers of rows that are `step` apart, one behind the other.
static void pack_rows(struct Complex* to, const struct Complex* from, long rows, long step,
                      long planes) {
    for (long row = 0; row < rows; ++row) copy(to + row * planes, from + row * step, planes);
}

// Planes of z: a PE gets [z][y][x] from all PEs, which together are all planes.
static void transform_to_planes_of_x(void) {
    synchronize(way->begin);
    for (long piece = 0; piece < pieces; ++piece) {
        long begin = my_z * piece / pieces, end = my_z * (piece + 1) / pieces;
        transform_x_and_y(1, begin, end);
        for (int i = 1; i <= npes && begin < end; ++i) {
            int pe = (me + i) % npes;
            long first = first_of(nx, pe), planes = planes_of(nx, pe);
            long from = first * ny * my_z + begin * ny * planes, rows = (end - begin) * ny;
            pack_rows(outgoing + from, cells + begin * ny * nx + first, rows, nx, planes);
            put_numbers((first_of(nz, me) + begin) * ny * planes, from, rows * planes, pe);
        }
    }
    synchronize(way->end);
    turn(cells, incoming, my_x, ny * my_x, nz, my_x);
}

// Unpacks the rows that come from a PE with `planes` planes of x, `first` and up: [y][x][z].
static void unpack_rows(const struct Complex* restrict from, long first, long planes) {
    for (long y = 0; y < ny; ++y, from += planes * my_z) {
        for (long tile = 0; tile < planes; tile += kTile) {
            long end = tile + kTile < planes ? tile + kTile : planes;
            for (long z = 0; z < my_z; ++z) {
                struct Complex* to = cells + (z * ny + y) * nx + first;
                for (long x = tile; x < end; ++x) to[x] = from[x * my_z + z];
            }
        }
    }
}

// Rows of y: a PE gets [y][x][z] from each PE, one behind the other.
static void transform_to_planes_of_z(void) {
    synchronize(way->begin);
    for (long piece = 0; piece < pieces; ++piece) {
        long begin = ny * piece / pieces, end = ny * (piece + 1) / pieces;
        transform_z(-1, begin, end);
        for (int i = 1; i <= npes && begin < end; ++i) {
            int pe = (me + i) % npes;
            long first = first_of(nz, pe), planes = planes_of(nz, pe);
            long from = first * ny * my_x + begin * my_x * planes, rows = (end - begin) * my_x;
            pack_rows(outgoing + from, cells + begin * my_x * nz + first, rows, nz, planes);
            put_numbers((first_of(nx, me) * ny + begin * my_x) * planes, from, rows * planes, pe);
        }
    }
    synchronize(way->end);
    for (int pe = 0; pe < npes; ++pe) {
        long first = first_of(nx, pe);
        unpack_rows(incoming + first * ny * my_z, first, planes_of(nx, pe));
    }
}

static void transform_forward(void) {
    if (way->overlaps) return transform_to_planes_of_x();
    transform_x_and_y(1, 0, my_z);
    to_planes_of_x();
}

static void transform_backward(void) {
    if (way->overlaps) return transform_to_planes_of_z();
    transform_z(-1, 0, ny);
    to_planes_of_z();
}

static double other_parts_ns(void) { return part_ns[FFT] + part_ns[PUT] + part_ns[SYNC]; }

// The transposition is the part of a transform with an exchange that is no other part.
static void exchange(void (*transform_either)(void)) {
    const double start = now_ns(), others = other_parts_ns();
    transform_either();
    part_ns[TRANSPOSE] += now_ns() - start - (other_parts_ns() - others);
}

// ---- The specification's problem ----

// Numbers of the sequence x' = 5^13 x mod 2^46, two for each cell, x fastest, then y, then z.
static void make_first_state(void) {
    const uint64_t mask = ((uint64_t)1 << 46) - 1, factor = 1220703125;
    uint64_t state = 314159265, square = factor;
    for (uint64_t skip = (uint64_t)(2 * nx * ny * first_of(nz, me)); skip; skip >>= 1) {
        if (skip & 1) state = state * square & mask;
        square = square * square & mask;
    }
    for (long i = 0; i < nx * ny * my_z; ++i) {
        state = state * factor & mask;
        cells[i].re = (double)state * 0x1p-46;
        state = state * factor & mask;
        cells[i].im = (double)state * 0x1p-46;
    }
}

// exp(-4 pi^2 alpha t k^2) is the product of one factor for each direction.
static void make_decay(void) {
    const long sides[3] = {nx, ny, nz};
    for (int d = 0; d < 3; ++d) {
        for (long i = 0; i < sides[d]; ++i) {
            double k = (double)(i < sides[d] / 2 ? i : i - sides[d]);
            decay_once[d][i] = exp(-4e-6 * M_PI * M_PI * k * k);
            decay[d][i] = 1;
        }
    }
}

static void evolve(void) {
    for (int d = 0; d < 3; ++d) {
        for (long i = 0; i < kSideMax; ++i) decay[d][i] *= decay_once[d][i];
    }
    const struct Complex* from = waves;
    struct Complex* to = cells;
    for (long y = 0; y < ny; ++y) {
        for (long x = 0; x < my_x; ++x, from += nz, to += nz) {
            double scale = decay[1][y] * decay[0][first_of(nx, me) + x];
            for (long z = 0; z < nz; ++z) {
                to[z].re = from[z].re * scale * decay[2][z];
                to[z].im = from[z].im * scale * decay[2][z];
            }
        }
    }
}

static void check_sum(int iteration) {
    long first = first_of(nz, me);
    sums[0] = sums[1] = 0;
    for (long j = 1; j <= 1024; ++j) {
        long x = j % nx, y = 3 * j % ny, z = 5 * j % nz - first;
        if (z < 0 || z >= my_z) continue;
        sums[0] += cells[(z * ny + y) * nx + x].re;
        sums[1] += cells[(z * ny + y) * nx + x].im;
    }
    shmem_double_sum_to_all(sums + 2, sums, 2, 0, 0, npes, reduce_work, reduce_sync[iteration % 2]);
    double scale = 1.0 / (double)(nx * ny * nz), re = sums[2] * scale, im = sums[3] * scale;
    struct Complex expected = class->checksums[iteration];
    double error = hypot(re - expected.re, im - expected.im);
    if (error <= 1e-12 * hypot(expected.re, expected.im)) return;
    give_up("ft class %s, iteration %d: expected checksum %.12g %.12g, found %.12g %.12g",
            class->name, iteration + 1, expected.re, expected.im, re, im);
}

static void solve(void) {
    make_first_state();
    make_decay();
    exchange(transform_forward);
    transform_z(1, 0, ny);
    memcpy(waves, cells, sizeof(struct Complex) * (size_t)(my_x * ny * nz));
    for (int iteration = 0; iteration < class->iterations; ++iteration) {
        evolve();
        exchange(transform_backward);
        transform_x_and_y(-1, 0, my_z);
        check_sum(iteration);
    }
}

// ---- Measuring ----

static double operations(void) {  // as the specification counts them
    double total = (double)(nx * ny * nz), logarithm = log(total);
    double once = 14.8157 + 7.19641 * logarithm, each = 5.23518 + 7.21113 * logarithm;
    return total * (once + each * class->iterations);
}

static double mflops[kWaysMax][kSamplesMax], part_us[kWaysMax][PARTS][kSamplesMax];
static double exchange_us[kWaysMax][kSamplesMax];

static void measure_once(int index, int sample) {
    memset(part_ns, 0, sizeof part_ns);
    shmem_barrier_all();
    const double start = now_ns();
    solve();
    mflops[index][sample] = operations() * 1e3 / fold_all(now_ns() - start, MAX_OF_ALL);
    const double us = 1e-3 / (class->iterations + 1);
    exchange_us[index][sample] = us * fold_all(part_ns[PUT] + part_ns[SYNC], MAX_OF_ALL);
    for (int part = 0; part < PARTS; ++part)
        part_us[index][part][sample] = us * fold_all(part_ns[part], SUM_OF_ALL) / npes;
}

static void report_way(const char* name, int index, int samples) {
    static const char* const kParts[PARTS] = {"fft", "transpose", "put", "sync"};
    const double count = (double)(nx * ny * nz);
    char text[64];
    report(name, "cells", count, "MFLOPS", 0, mflops[index], samples, 0);
    snprintf(text, sizeof text, "%s_exchange", name);
    report(text, "cells", count, "us", 1, exchange_us[index], samples, 0);
    for (int part = 0; part < PARTS; ++part) {
        snprintf(text, sizeof text, "%s_%s", name, kParts[part]);
        report(text, "cells", count, "us", 1, part_us[index][part], samples, 0);
    }
}

// The ways by turns.
static void measure(const struct Exchange* ways, int count, size_t bytes, int samples) {
    for (int i = level == TINY ? 0 : -1; i < samples; ++i) {  // one sample to warm up
        for (int index = 0; index < count; ++index) {
            way = &ways[index];
            if (way->prepare) way->prepare(bytes);
            measure_once(index, i < 0 ? 0 : i);
            if (way->release) way->release();
        }
    }
    for (int index = 0; index < count; ++index) report_way(ways[index].name, index, samples);
}

// Up to eight, of 1 MiB and more to each PE: below that the calls cost more than they hide.
static long pieces_by_size(void) {
    const double block = (double)sizeof(struct Complex) * (double)(nx * ny * nz) / npes / npes;
    const long count = (long)(block / (1 << 20));
    return count < 1 ? 1 : count > 8 ? 8 : count;
}

static struct Complex* numbers(long count) {
    struct Complex* memory = malloc(sizeof(struct Complex) * (size_t)(count + 1));
    if (!memory) give_up("no memory for %ld numbers", count);
    return memory;
}

static void measure_class(const struct Class* wanted, const struct Exchange* ways, int count,
                          int samples) {
    class = wanted;
    nx = class->nx;
    ny = class->ny;
    nz = class->nz;
    if (npes > nx || npes > nz) {
        if (me == 0)
            printf("ft class %s: too few planes for %d PEs, left out\n", class->name, npes);
        return;
    }
    pieces = pieces_wanted > 0 ? pieces_wanted : pieces_by_size();
    my_x = planes_of(nx, me);
    my_z = planes_of(nz, me);
    long in_space = my_z * ny * nx, in_waves = my_x * ny * nz;
    long most = in_space > in_waves ? in_space : in_waves;
    long planes_x = (nx + npes - 1) / npes, planes_z = (nz + npes - 1) / npes;
    long most_x = planes_x * ny * nz, most_z = planes_z * ny * nx;
    const size_t bytes = sizeof(struct Complex) * (size_t)(most_x > most_z ? most_x : most_z);
    incoming = allocate(4096, bytes);
    cells = numbers(most);
    waves = numbers(in_waves);
    outgoing = numbers(most);
    measure(ways, count, bytes, samples);
    free(cells);
    free(waves);
    free(outgoing);
    shmem_barrier_all();
    shmem_free(incoming);
}

static void ft_run(int argc, char** argv, const struct Exchange* ways, int count) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const char* name = option_text("--class", NULL);
    const int has_pieces = option_text("--pieces", NULL) != NULL;
    pieces_wanted = option("--pieces", 0);
    options_end("[--class S|W|A|B] [--pieces N]");
    if (has_pieces && pieces_wanted < 1) give_up("--pieces takes a number above 0");
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i)
        reduce_sync[0][i] = reduce_sync[1][i] = SHMEM_SYNC_VALUE;
    sums = allocate(64, 64);
    int is_known = !name;
    for (int i = 0; i < kClasses; ++i) {
        int is_wanted = name ? strcmp(name, kClassTable[i].name) == 0 : i <= by_level(0, 1, 2);
        if (is_wanted) measure_class(&kClassTable[i], ways, count, by_level(1, i == 3 ? 1 : 5, 9));
        is_known |= is_wanted;
    }
    if (!is_known) give_up("--class takes S, W, A or B");
    end();
}
