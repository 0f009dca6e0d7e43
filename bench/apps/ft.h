// SPDX-License-Identifier: BSD-3-Clause
//
// A three-dimensional Fourier transform whose transposition exchanges data between all pairs of
// PEs. It follows the specification of the NAS Parallel Benchmarks' FT (NASA RNR-94-007), which
// Christgau 2017 section 4.4.4 runs: a heat equation solved by a forward transform of random
// numbers, then six times (class B: 20) a decay of all waves, an inverse transform and a checksum;
// classes S, W, A and B. Written from the specification; it is not the official code, and its
// numbers are no NPB results.
//
// PEs form a grid of rows and columns. A row shares planes of z, [z][y][x] with all x; its PEs
// cut the planes by y. An exchange in the row gives each PE all y of some x, [z][y][x], and one in
// the column all z of some y and x, [y][x][z]; the way back is the inverse. With one column, the
// cut in one direction, only the second exchange is left (--cut 1, the default). --cut 2 takes the
// grid nearest to a square. The counts of planes need not be equal. The FFT is radix 2, eight
// pencils at once. A program includes this file behind bench/measure.h or bench/measure_mpi.h, and
// says how blocks are exchanged, behind the computation or in pieces (--pieces) while the next
// piece is transformed. Reports, by way:
//
//   NAME            MFLOPS as the specification counts operations
//   NAME_exchange   us for each transform in puts and synchronization
//   NAME_fft, _transpose, _put, _sync   us for each transform; evolution and checksum are the rest
//
// Verified: the specification's checksums, to twelve digits.
#pragma once

#include <math.h>

#include "bench/apps/ft_classes.h"
#include "bench/apps/ft_kernels.h"

enum { kWaysMax = 4, kSamplesMax = 64 };

static const struct Class* class;
static long nx, ny, nz;
static long pieces;               // pieces of an overlapping exchange
static long pieces_wanted;        // 0: by their size
static struct Complex* cells;     // in space, or the frequencies of this time
static struct Complex* waves;     // the frequencies of the first state
static struct Complex* outgoing;  // blocks of the exchange under way, as they are put
static struct Complex* incoming;  // a block from each PE; symmetric, or private to the way
static double decay[3][kSideMax], decay_once[3][kSideMax];  // by x, y, z
enum part { FFT, TRANSPOSE, PUT, SYNC, PARTS };
static double part_ns[PARTS];

// PEs that exchange blocks with each other: number i is first + i * step.
struct Group {
    int count, first, step;
    int mine;  // this PE's number
};
static struct Group in_row, in_column;
static const struct Group* group;      // the PEs that exchange blocks now
static long my_x, my_y, my_z, wave_y;  // parts of this PE; wave_y in the frequencies, my_y before

static int member(int i) { return group->first + i * group->step; }
static long first_of(long planes, const struct Group* cut, int i) {
    return planes * i / cut->count;
}
static long planes_of(long planes, const struct Group* cut, int i) {
    return first_of(planes, cut, i + 1) - first_of(planes, cut, i);
}

// One way to exchange blocks.
struct Exchange {
    const char* name;
    int overlaps;                   // in pieces
    void (*prepare)(size_t bytes);  // before each solution; those of `incoming`. Or NULL
    void (*begin)(void);            // with `group`; then this PE has read all of `incoming`
    void (*put)(struct Complex* to, const struct Complex* from, size_t bytes, int pe);
    void (*end)(void);      // waits until all blocks are in `incoming`
    void (*release)(void);  // after each solution. Or NULL
};
static const struct Exchange* way;

// ---- The three directions ----

// The planes of z from `begin` to `end`, before and after the exchange in the row.
static void transform_x(int sign, long begin, long end) {
    const double start = now_ns();
    make_roots(nx);
    transform_all(cells + begin * my_y * nx, nx, 1, my_y * (end - begin), nx, sign);
    part_ns[FFT] += now_ns() - start;
}
static void transform_y(int sign, long begin, long end) {
    const double start = now_ns();
    make_roots(ny);
    for (long z = begin; z < end; ++z)
        transform_all(cells + z * ny * my_x, ny, my_x, my_x, 1, sign);
    part_ns[FFT] += now_ns() - start;
}

// The rows of y from `begin` to `end`.
static void transform_z(int sign, long begin, long end) {
    const double start = now_ns();
    make_roots(nz);
    transform_all(cells + begin * my_x * nz, nz, 1, (end - begin) * my_x, nz, sign);
    part_ns[FFT] += now_ns() - start;
}

// ---- Exchanges in a row or column of PEs ----

static long packed;          // numbers in `outgoing`
static long planes_to_come;  // in `incoming`, in the order of the PEs that put them
static long numbers_of_plane;

// The block in `incoming` that comes from PE i of the group.
static inline long block_first(int i) {
    return first_of(planes_to_come, group, i) * numbers_of_plane;
}
static inline long block_numbers(int i) {
    return planes_of(planes_to_come, group, i) * numbers_of_plane;
}

static void begin_exchange(const struct Group* with, long planes, long numbers) {
    const double start = now_ns();
    group = with;
    planes_to_come = planes;
    numbers_of_plane = numbers;
    packed = 0;
    way->begin();
    part_ns[SYNC] += now_ns() - start;
}
static void end_exchange(void) {
    const double start = now_ns();
    way->end();
    part_ns[SYNC] += now_ns() - start;
}

// Number k of all pieces of `count` planes or rows.
static long piece_of(long count, long k) {
    const long all = way->overlaps ? pieces : 1;
    return count * k / all;
}
static int has_piece(long count, long k) { return piece_of(count, k) < count; }

// Rows of `run` numbers, `step` apart. Packs them, and puts them to number `to` of `incoming`.
struct Rows {
    long count, step, run;
};
static void send_rows(const struct Complex* from, struct Rows rows, long to, int pe) {
    struct Complex* block = outgoing + packed;
    const long count = rows.count * rows.run;
    for (long row = 0; row < rows.count; ++row)
        memcpy(block + row * rows.run, from + row * rows.step, sizeof *block * (size_t)rows.run);
    packed += count;
    const double start = now_ns();
    if (count > 0) way->put(incoming + to, block, sizeof *block * (size_t)count, pe);
    part_ns[PUT] += now_ns() - start;
}
static void unpack_rows(struct Complex* to, const struct Complex* block, struct Rows rows) {
    for (long row = 0; row < rows.count; ++row)
        memcpy(to + row * rows.step, block + row * rows.run, sizeof *to * (size_t)rows.run);
}

// A block for another PE of the row: [z][y of this PE][x of the other], and back
// [z][y of the other][x of this PE].
static void from_x_to_y(void) {
    begin_exchange(&in_row, ny, my_z * my_x);
    for (long k = 0; has_piece(my_z, k); ++k) {
        const long begin = piece_of(my_z, k), end = piece_of(my_z, k + 1);
        transform_x(1, begin, end);
        for (int i = 1; i <= group->count; ++i) {
            const int other = (group->mine + i) % group->count;
            const long run = planes_of(nx, &in_row, other);
            const long to = my_z * first_of(ny, &in_row, group->mine) + begin * my_y;
            send_rows(cells + begin * my_y * nx + first_of(nx, &in_row, other),
                      (struct Rows){(end - begin) * my_y, nx, run}, to * run, member(other));
        }
    }
    end_exchange();
    for (int other = 0; other < group->count; ++other) {
        const long run = planes_of(ny, &in_row, other) * my_x;
        unpack_rows(cells + first_of(ny, &in_row, other) * my_x, incoming + block_first(other),
                    (struct Rows){my_z, ny * my_x, run});
    }
}
static void from_y_to_x(void) {
    begin_exchange(&in_row, nx, my_z * my_y);
    for (long k = 0; has_piece(my_z, k); ++k) {
        const long begin = piece_of(my_z, k), end = piece_of(my_z, k + 1);
        transform_y(-1, begin, end);
        for (int i = 1; i <= group->count; ++i) {
            const int other = (group->mine + i) % group->count;
            const long planes = planes_of(ny, &in_row, other), run = planes * my_x;
            const long to = my_z * first_of(nx, &in_row, group->mine) + begin * my_x;
            send_rows(cells + (begin * ny + first_of(ny, &in_row, other)) * my_x,
                      (struct Rows){end - begin, ny * my_x, run}, to * planes, member(other));
        }
    }
    end_exchange();
    for (int other = 0; other < group->count; ++other) {
        const long run = planes_of(nx, &in_row, other);
        unpack_rows(cells + first_of(nx, &in_row, other), incoming + block_first(other),
                    (struct Rows){my_z * my_y, nx, run});
    }
}

// A block for another PE of the column: [z][y of the other][x], so that all blocks together are
// all planes of z; and back [y of this PE][x][z of the other], together all rows of y.
static void from_y_to_z(void) {
    begin_exchange(&in_column, nz, wave_y * my_x);
    for (long k = 0; has_piece(my_z, k); ++k) {
        const long begin = piece_of(my_z, k), end = piece_of(my_z, k + 1);
        if (in_row.count == 1) transform_x(1, begin, end);
        transform_y(1, begin, end);
        for (int i = 1; i <= group->count; ++i) {
            const int other = (group->mine + i) % group->count;
            const long run = planes_of(ny, &in_column, other) * my_x;
            const long to = first_of(nz, &in_column, group->mine) + begin;
            send_rows(cells + (begin * ny + first_of(ny, &in_column, other)) * my_x,
                      (struct Rows){end - begin, ny * my_x, run}, to * run, member(other));
        }
    }
    end_exchange();
    turn(cells, (struct Matrices){my_x * nz, nz}, incoming, (struct Matrices){my_x, wave_y * my_x},
         wave_y, nz, my_x);
}
static void from_z_to_y(void) {
    begin_exchange(&in_column, ny, my_x * my_z);
    for (long k = 0; has_piece(wave_y, k); ++k) {
        const long begin = piece_of(wave_y, k), end = piece_of(wave_y, k + 1);
        transform_z(-1, begin, end);
        for (int i = 1; i <= group->count; ++i) {
            const int other = (group->mine + i) % group->count;
            const long run = planes_of(nz, &in_column, other);
            const long to = (first_of(ny, &in_column, group->mine) + begin) * my_x;
            send_rows(cells + begin * my_x * nz + first_of(nz, &in_column, other),
                      (struct Rows){(end - begin) * my_x, nz, run}, to * run, member(other));
        }
    }
    end_exchange();
    turn(cells, (struct Matrices){my_x, ny * my_x}, incoming, (struct Matrices){my_x * my_z, my_z},
         ny, my_x, my_z);
}

static void transform_forward(void) {
    if (in_row.count > 1) from_x_to_y();
    from_y_to_z();
    transform_z(1, 0, wave_y);
}

static void transform_backward(void) {
    from_z_to_y();
    if (in_row.count > 1) {
        from_y_to_x();
    } else {
        transform_y(-1, 0, my_z);
    }
    transform_x(-1, 0, my_z);
}

static double other_parts_ns(void) { return part_ns[FFT] + part_ns[PUT] + part_ns[SYNC]; }

// The transposition is the part of a transform that is no other part.
static void timed(void (*transform_either)(void)) {
    const double start = now_ns(), others = other_parts_ns();
    transform_either();
    part_ns[TRANSPOSE] += now_ns() - start - (other_parts_ns() - others);
}

// ---- The specification's problem ----

// The sequence x' = 5^13 x mod 2^46, two numbers for each cell, x fastest, then y, then z.
static const uint64_t kMask = ((uint64_t)1 << 46) - 1, kFactor = 1220703125;

static uint64_t state_after(long numbers_before) {
    uint64_t state = 314159265, square = kFactor;
    for (uint64_t skip = (uint64_t)numbers_before; skip; skip >>= 1) {
        if (skip & 1) state = state * square & kMask;
        square = square * square & kMask;
    }
    return state;
}

static void make_first_state(void) {
    struct Complex* cell = cells;
    for (long z = 0; z < my_z; ++z) {
        const long plane = first_of(nz, &in_column, in_column.mine) + z;
        uint64_t state = state_after(2 * nx * (plane * ny + first_of(ny, &in_row, in_row.mine)));
        for (long i = 0; i < nx * my_y; ++i, ++cell) {
            state = state * kFactor & kMask;
            cell->re = (double)state * 0x1p-46;
            state = state * kFactor & kMask;
            cell->im = (double)state * 0x1p-46;
        }
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
    const double* decay_x = decay[0] + first_of(nx, &in_row, in_row.mine);
    const double* decay_y = decay[1] + first_of(ny, &in_column, in_column.mine);
    for (long y = 0; y < wave_y; ++y) {
        for (long x = 0; x < my_x; ++x, from += nz, to += nz) {
            double scale = decay_y[y] * decay_x[x];
            for (long z = 0; z < nz; ++z) {
                to[z].re = from[z].re * scale * decay[2][z];
                to[z].im = from[z].im * scale * decay[2][z];
            }
        }
    }
}

static void check_sum(int iteration) {
    const long first_z = first_of(nz, &in_column, in_column.mine);
    const long first_y = first_of(ny, &in_row, in_row.mine);
    double sums[2] = {0, 0};
    for (long j = 1; j <= 1024; ++j) {
        const long x = j % nx, y = 3 * j % ny - first_y, z = 5 * j % nz - first_z;
        if (y < 0 || y >= my_y || z < 0 || z >= my_z) continue;
        sums[0] += cells[(z * my_y + y) * nx + x].re;
        sums[1] += cells[(z * my_y + y) * nx + x].im;
    }
    add_up(sums, 2);
    double scale = 1.0 / (double)(nx * ny * nz), re = sums[0] * scale, im = sums[1] * scale;
    struct Complex expected = class->checksums[iteration];
    double error = hypot(re - expected.re, im - expected.im);
    if (error <= 1e-12 * hypot(expected.re, expected.im)) return;
    give_up("ft class %s, iteration %d: expected checksum %.12g %.12g, found %.12g %.12g",
            class->name, iteration + 1, expected.re, expected.im, re, im);
}

static void solve(void) {
    make_first_state();
    make_decay();
    timed(transform_forward);
    memcpy(waves, cells, sizeof(struct Complex) * (size_t)(my_x * wave_y * nz));
    for (int iteration = 0; iteration < class->iterations; ++iteration) {
        evolve();
        timed(transform_backward);
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
    meet();
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
    const double share = (double)sizeof(struct Complex) * (double)(nx * ny * nz) / npes;
    const double block = share / in_column.count;
    const long count = (long)(block / (1 << 20));
    return count < 1 ? 1 : count > 8 ? 8 : count;
}

static struct Complex* numbers(long count) {
    struct Complex* memory = malloc(sizeof(struct Complex) * (size_t)(count + 1));
    if (!memory) give_up("no memory for %ld numbers", count);
    return memory;
}

// The first place of a part is at the greatest: parts differ by one plane.
static long most_of(long planes, const struct Group* cut) {
    return (planes + cut->count - 1) / cut->count;
}

static void measure_class(const struct Class* wanted, const struct Exchange* ways, int count,
                          int samples) {
    class = wanted;
    nx = class->nx;
    ny = class->ny;
    nz = class->nz;
    if (in_row.count > nx || in_row.count > ny || in_column.count > ny || in_column.count > nz) {
        if (me == 0)
            printf("ft class %s: too few planes for %d PEs, left out\n", class->name, npes);
        return;
    }
    my_x = planes_of(nx, &in_row, in_row.mine);
    my_y = planes_of(ny, &in_row, in_row.mine);
    my_z = planes_of(nz, &in_column, in_column.mine);
    wave_y = planes_of(ny, &in_column, in_column.mine);
    pieces = pieces_wanted > 0 ? pieces_wanted : pieces_by_size();
    const long most_x = most_of(nx, &in_row), most_z = most_of(nz, &in_column);
    long most = nx * most_of(ny, &in_row) * most_z;
    if (most < most_x * ny * most_z) most = most_x * ny * most_z;
    if (most < most_x * most_of(ny, &in_column) * nz) most = most_x * most_of(ny, &in_column) * nz;
    const size_t bytes = sizeof(struct Complex) * (size_t)most;
    incoming = allocate(4096, bytes);
    cells = numbers(most);
    waves = numbers(most);
    outgoing = numbers(most);
    measure(ways, count, bytes, samples);
    free(cells);
    free(waves);
    free(outgoing);
    deallocate(incoming);
}

// Columns of the grid of PEs.
static int columns_of(int is_grid) {
    int result = 1;
    for (int i = 1; is_grid && i * i <= npes; ++i) {
        if (npes % i == 0) result = i;
    }
    return result;
}

static int way_named(const char* name, const struct Exchange* ways, int count) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(ways[i].name, name) == 0) return i;
    }
    give_up("--way %s: there is none of this name", name);
}

// Between begin() and end() of the program.
static void ft_run(const struct Exchange* ways, int count) {
    const char* name = option_text("--class", NULL);
    const int has_pieces = option_text("--pieces", NULL) != NULL;
    const char* only = option_text("--way", NULL);
    const long cut = option("--cut", 1);
    pieces_wanted = option("--pieces", 0);
    options_end("[--class S|W|A|B] [--way NAME] [--cut 1|2] [--pieces N]");
    if (has_pieces && pieces_wanted < 1) give_up("--pieces takes a number above 0");
    if (cut != 1 && cut != 2) give_up("--cut takes 1 or 2");
    const int columns = columns_of(cut == 2);
    in_row = (struct Group){columns, me - me % columns, 1, me % columns};
    in_column = (struct Group){npes / columns, me % columns, columns, me / columns};
    const int first = only ? way_named(only, ways, count) : 0;
    int is_known = !name;
    for (int i = 0; i < kClasses; ++i) {
        int is_wanted = name ? strcmp(name, kClassTable[i].name) == 0 : i <= by_level(0, 1, 2);
        const int samples = by_level(1, i == 3 ? 1 : 5, 9);
        if (is_wanted) measure_class(&kClassTable[i], ways + first, only ? 1 : count, samples);
        is_known |= is_wanted;
    }
    if (!is_known) give_up("--class takes S, W, A or B");
}
