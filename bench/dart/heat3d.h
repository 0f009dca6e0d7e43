// SPDX-License-Identifier: BSD-3-Clause
//
// The heat conduction of Zhou 2016, chapter 8, for heat3d_gets.c (DART) and heat3d_mpi.c (MPI): a
// box of doubles, cut in all three dimensions, z first. An iteration gets the six faces of the
// neighbours, a barrier after each direction: x and y faces by rows of z cells, z faces cell by
// cell. Then it computes, and an all-reduce tells how far the solution is from steady (it always
// runs a fixed number of iterations).
//
// Weak scaling: 32 x 32 x 32 cells of each unit; strong scaling: one box for all. Of each, the
// microseconds of an iteration of the slowest unit:
//
//   dart_heat_weak            all
//   dart_heat_weak_data       in the gets
//   dart_heat_weak_wait       in the six barriers between them: units wait for each other there
//   dart_heat_weak_sync       in six barriers back to back, as the paper counts them
//
// No heat leaves the box, so the sum over all cells stays: the check, together with the first halo.
#pragma once

#include <math.h>
#include <stdint.h>

#include "bench/reports.h"

// The program defines these. A field has `bytes` on each unit; get_cells copies cells of another
// unit's part into the own one, at once.
static void begin(int argc, char** argv);
static void end(void);
static void give_up(const char* what);
static void meet(void);
static double greatest(double value);
static double sum_of_all(double value);
static double* allocate_field(int field, size_t bytes);
static void free_field(int field);
static void get_cells(int field, long to, long from, long count, int unit);

enum { X, Y, Z, kDimensions, kFaces = 6 };
enum { TOTAL, DATA, WAIT, SYNC, kParts, kTimesMax = 64 };

static long box[kDimensions];                        // cells of all units
static int cuts[kDimensions];                        // units in each dimension
static int place[kDimensions];                       // of this unit
static long count[kDimensions], first[kDimensions];  // of this unit's cells
static long row, plane;        // from a cell to the next one in y, in x; the same on all units
static int neighbour[kFaces];  // low x, high x, low y, ...; -1: the edge of the box
static double* mine[2];        // fields: iterations go from one to the other
static double ns[kParts];

static long cell(long x, long y, long z) { return x * plane + y * row + z; }
static long first_of(int dimension, int at) { return box[dimension] * at / cuts[dimension]; }
static long count_of(int dimension, int at) {
    return first_of(dimension, at + 1) - first_of(dimension, at);
}

// The cuts as even as can be, the most in z.
static void place_units(void) {
    int left = npes;
    for (int d = 0; d < kDimensions; ++d) cuts[d] = 1;
    for (int dimension = Z; left % 2 == 0; left /= 2) {
        cuts[dimension] *= 2;
        dimension = dimension == X ? Z : dimension - 1;
    }
    cuts[Z] *= left;
    place[X] = me / (cuts[Y] * cuts[Z]);
    place[Y] = me / cuts[Z] % cuts[Y];
    place[Z] = me % cuts[Z];
    for (int face = 0; face < kFaces; ++face) {
        int at[kDimensions] = {place[X], place[Y], place[Z]};
        const int moved = at[face / 2] += face % 2 ? 1 : -1;
        const int is_inside = moved >= 0 && moved < cuts[face / 2];
        neighbour[face] = is_inside ? (at[X] * cuts[Y] + at[Y]) * cuts[Z] + at[Z] : -1;
    }
}

// RETURNS: the bytes of a field.
static size_t cut_box(void) {
    for (int d = 0; d < kDimensions; ++d) {
        first[d] = first_of(d, place[d]);
        count[d] = count_of(d, place[d]);
    }
    row = (box[Z] + cuts[Z] - 1) / cuts[Z] + 2;
    plane = row * ((box[Y] + cuts[Y] - 1) / cuts[Y] + 2);
    const long planes = (box[X] + cuts[X] - 1) / cuts[X] + 2;
    return sizeof(double) * (size_t)(planes * plane);
}

static double first_temperature(long x, long y, long z) {
    return 1 +
           (double)(((first[X] + x) * 7 + (first[Y] + y) * 13 + (first[Z] + z) * 29) % 101) / 101.0;
}

// ---- The halo ----

static void get_face(int field, int face) {
    const int dimension = face / 2, unit = neighbour[face];
    const long to = face % 2 ? count[dimension] + 1 : 0;
    const long from = face % 2 ? 1 : count_of(dimension, place[dimension] - 1);
    if (dimension == X) {
        for (long y = 1; y <= count[Y]; ++y)
            get_cells(field, cell(to, y, 1), cell(from, y, 1), count[Z], unit);
        return;
    }
    for (long x = 1; x <= count[X]; ++x) {
        if (dimension == Y) {
            get_cells(field, cell(x, to, 1), cell(x, from, 1), count[Z], unit);
            continue;
        }
        for (long y = 1; y <= count[Y]; ++y)
            get_cells(field, cell(x, y, to), cell(x, y, from), 1, unit);
    }
}

// At the edge of the box the halo has the edge's temperature: no heat flows.
static void mirror_face(int field, int face) {
    const int dimension = face / 2, a = dimension == X ? Y : X, b = dimension == Z ? Y : Z;
    long at[kDimensions];
    for (at[a] = 1; at[a] <= count[a]; ++at[a]) {
        for (at[b] = 1; at[b] <= count[b]; ++at[b]) {
            at[dimension] = face % 2 ? count[dimension] : 1;
            const double edge = mine[field][cell(at[X], at[Y], at[Z])];
            at[dimension] = face % 2 ? count[dimension] + 1 : 0;
            mine[field][cell(at[X], at[Y], at[Z])] = edge;
        }
    }
}

static void exchange(int field) {
    double before = now_ns();
    for (int face = 0; face < kFaces; ++face) {
        if (neighbour[face] >= 0) get_face(field, face);
        const double after = now_ns();
        ns[DATA] += after - before;
        meet();
        before = now_ns();
        ns[WAIT] += before - after;
    }
    for (int face = 0; face < kFaces; ++face) {
        if (neighbour[face] < 0) mirror_face(field, face);
    }
}

// ---- One iteration ----

// RETURNS: the sum of the squared changes.
static double compute(const double* restrict old, double* restrict new) {
    double change = 0;
    for (long x = 1; x <= count[X]; ++x) {
        for (long y = 1; y <= count[Y]; ++y) {
            const double* restrict t = old + cell(x, y, 0);
            double* restrict to = new + cell(x, y, 0);
            for (long z = 1; z <= count[Z]; ++z) {
                const double in = t[z - plane] + t[z + plane] + t[z - row] + t[z + row] + t[z - 1] +
                                  t[z + 1] - 6 * t[z];
                to[z] = t[z] + 0.1 * in;
                change += in * in;
            }
        }
    }
    return change;
}

// The all-reduce ends it: no unit writes a field that another one still reads.
static double iterate(int field) {
    exchange(field);
    return sum_of_all(compute(mine[field], mine[1 - field]));
}

// ---- Checks ----

static double total(int field) {
    double sum = 0;
    for (long x = 1; x <= count[X]; ++x) {
        for (long y = 1; y <= count[Y]; ++y) {
            for (long z = 1; z <= count[Z]; ++z) sum += mine[field][cell(x, y, z)];
        }
    }
    return sum_of_all(sum);
}

static void fill(void) {
    for (long x = 0; x <= count[X] + 1; ++x) {
        for (long y = 0; y <= count[Y] + 1; ++y) {
            for (long z = 0; z <= count[Z] + 1; ++z) {
                const int is_halo =
                    x == 0 || x > count[X] || y == 0 || y > count[Y] || z == 0 || z > count[Z];
                mine[0][cell(x, y, z)] = is_halo ? 0 : first_temperature(x, y, z);
            }
        }
    }
    meet();
}

// The halo of the first exchange is what the neighbours began with.
static void check_halo(void) {
    for (int face = 0; face < kFaces; ++face) {
        long at[kDimensions] = {count[X], 1, (count[Z] + 1) / 2};
        at[face / 2] = face % 2 ? count[face / 2] + 1 : 0;
        if (neighbour[face] < 0) continue;
        if (mine[0][cell(at[X], at[Y], at[Z])] != first_temperature(at[X], at[Y], at[Z]))
            give_up("the halo is wrong");
    }
}

// ---- Measuring ----

static void one_sample(int iterations) {
    fill();
    const double heat = total(0);
    memset(ns, 0, sizeof ns);
    double start = now_ns();
    for (int k = 0; k < iterations; ++k) {
        if (!(iterate(k % 2) > 0)) give_up("nothing changes");
        if (k == 0) check_halo();
    }
    ns[TOTAL] = now_ns() - start;
    meet();
    start = now_ns();
    for (int k = 0; k < iterations * kFaces; ++k) meet();
    ns[SYNC] = now_ns() - start;
    if (fabs(total(iterations % 2) - heat) > 1e-9 * heat) give_up("heat was lost");
}

static void measure(const char* mode, int iterations) {
    static double us[kParts][kTimesMax];
    static const char* const parts[kParts] = {"", "_data", "_wait", "_sync"};
    const int samples = by_level(2, 9, 21);
    const size_t bytes = cut_box();
    for (int i = 0; i < 2; ++i) mine[i] = allocate_field(i, bytes);
    for (int i = -1; i < samples; ++i) {  // one to warm up
        one_sample(iterations);
        for (int part = 0; part < kParts; ++part)
            us[part][i < 0 ? 0 : i] = greatest(ns[part] * 1e-3 / iterations);
    }
    for (int part = 0; part < kParts; ++part) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", mode, parts[part]);
        report(name, "cells", (double)(box[X] * box[Y] * box[Z]), "us", 1, us[part], samples, 0);
    }
    meet();
    for (int i = 0; i < 2; ++i) free_field(i);
}

static void set_box(long x, long y, long z) {
    box[X] = x;
    box[Y] = y;
    box[Z] = z;
}

// Between nodes an iteration takes milliseconds.
static void measure_all(const char* weak, const char* strong) {
    const int side = by_level(8, 32, 32), iterations = by_level(4, 50, 100);
    place_units();
    set_box((long)side * cuts[X], (long)side * cuts[Y], (long)side * cuts[Z]);
    measure(weak, iterations);
    set_box(by_level(6, 32, 64), by_level(8, 64, 128), by_level(18, 128, 256));
    measure(strong, level != FULL ? iterations : 20);
}
