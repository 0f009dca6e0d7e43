// SPDX-License-Identifier: BSD-3-Clause
//
// A box of cells cut into one block for each PE: the cells of each PE, its neighbours, and values
// that differ from cell to cell but do not depend on the PE that computes them. For heat3d.h and
// apps/himeno.c.
#pragma once

#include <stdint.h>

#include "bench/reports.h"

enum { X, Y, Z, kDimensions, kFaces = 6 };

static long box[kDimensions];   // cells, without the edge that does not change
static int pes[kDimensions];    // cuts
static int place[kDimensions];  // the position of this PE
static int neighbour[kFaces];   // low x, high x, low y, ...; -1: the edge

// The greatest divisor whose power `exponent` is at most `count`.
static inline int divisor(int count, int exponent) {
    int result = 1;
    for (int x = 1; (exponent == 2 ? x * x : x * x * x) <= count; ++x) {
        if (count % x == 0) result = x;
    }
    return result;
}

// REQUIRES: the product of the cuts is npes.
static inline void place_pes_in(int x, int y, int z) {
    pes[X] = x;
    pes[Y] = y;
    pes[Z] = z;
    place[X] = me / (pes[Y] * pes[Z]);
    place[Y] = me / pes[Z] % pes[Y];
    place[Z] = me % pes[Z];
    for (int face = 0; face < kFaces; ++face) {
        int at[kDimensions] = {place[X], place[Y], place[Z]};
        int moved = at[face / 2] += face % 2 ? 1 : -1;
        int is_inside = moved >= 0 && moved < pes[face / 2];
        neighbour[face] = is_inside ? (at[X] * pes[Y] + at[Y]) * pes[Z] + at[Z] : -1;
    }
}

// As even as can be, the most cuts in z: 4 x 4 x 8 for 128 PEs, as in Zhou 2016, chapter 8
// (bench/README.md has the titles).
static inline void place_pes(void) {
    const int x = divisor(npes, 3), y = divisor(npes / x, 2);
    place_pes_in(x, y, npes / x / y);
}

// The first cell, from 0, of the PEs at position `at` in this dimension.
static inline long first_cell(int dimension, int at) {
    return box[dimension] * at / pes[dimension];
}

// One PE's cells, or the whole box. Cell 0 and the last + 1 are the halo.
struct Block {
    long first[kDimensions], cells[kDimensions];
    long row, plane;  // from a cell to the next one in y, in x
    size_t count;     // with the halo and the padding
};

static inline struct Block block_of(const long* first, const long* cells, const long* most) {
    struct Block b = {.row = most[Z] + 2, .plane = (most[Z] + 2) * (most[Y] + 2)};
    for (int d = 0; d < kDimensions; ++d) {
        b.first[d] = first[d];
        b.cells[d] = cells[d];
    }
    b.count = (size_t)(b.plane * (most[X] + 2));
    return b;
}

static inline struct Block whole_box(void) {
    long zero[kDimensions] = {0, 0, 0};
    return block_of(zero, box, box);
}

// Rows and planes have the same length on all PEs: a cell's address is symmetric.
static inline struct Block block_of_this_pe(void) {
    long first[kDimensions], cells[kDimensions], most[kDimensions];
    for (int d = 0; d < kDimensions; ++d) {
        first[d] = first_cell(d, place[d]);
        cells[d] = first_cell(d, place[d] + 1) - first[d];
        most[d] = (box[d] + pes[d] - 1) / pes[d];
    }
    return block_of(first, cells, most);
}

// Whether each PE has cells; if not, PE 0 prints a message.
static inline int box_fits(void) {
    if (box[X] >= pes[X] && box[Y] >= pes[Y] && box[Z] >= pes[Z]) return 1;
    if (me == 0) {
        printf("box of %ld x %ld x %ld: too small for %d x %d x %d PEs, left out\n", box[X], box[Y],
               box[Z], pes[X], pes[Y], pes[Z]);
    }
    return 0;
}

static inline long cell(const struct Block* b, long x, long y, long z) {
    return x * b->plane + y * b->row + z;
}

// In [0, 1); a different number for each cell of the block's part of the box and each `kind` below
// 256.
static inline double random_of(const struct Block* b, int kind, long x, long y, long z) {
    uint64_t at =
        (uint64_t)(b->first[X] + x) * (uint64_t)(box[Y] + 2) + (uint64_t)(b->first[Y] + y);
    at = at * (uint64_t)(box[Z] + 2) + (uint64_t)(b->first[Z] + z) + ((uint64_t)kind << 56);
    at = (at ^ (at >> 31)) * 0x9E3779B97F4A7C15u;
    at = (at ^ (at >> 29)) * 0xD6E8FEB86659FD93u;
    return (double)((at ^ (at >> 32)) >> 11) * 0x1p-53;
}
