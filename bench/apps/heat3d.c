// SPDX-License-Identifier: BSD-3-Clause
//
// What does a halo exchange by blocking gets cost, and how much of that is data and how much
// synchronisation? The heat conduction of Zhou 2016 chapter 8: a box of doubles with a diffusivity
// that grows with the temperature, edges of constant temperature, cut in all three dimensions, z
// first. Each iteration gets the six faces, a barrier after each: x faces are ny gets of nz cells,
// y faces nx gets of nz cells, z faces nx*ny gets of one cell. Then an all-reduce tells how far the
// solution is from steady (it always runs to a fixed number of iterations).
//
// Weak scaling: 32 x 32 x 32 cells for each PE, as in the paper; strong scaling: one box for all
// (the paper's 128 x 256 x 512 by --box). Each reports microseconds of one iteration: all of it,
// computing, data (in the gets), wait (in the barriers between them, skew of the PEs included),
// sync (the same barriers back to back, as the paper counts them) and the all-reduce. The time is
// that of the slowest PE.
//
// And what does a PE gain that computes while its halo travels? It starts the gets of all faces,
// and needs one barrier for them:
//
//   heat3d_..._overlap            computes the inside, waits for the gets, computes the layers that
//                                 need them. Only faces of other nodes travel: those of its own
//                                 node (shmem_ptr) it loads by blocking gets, before the inside
//   heat3d_..._nonblocking        waits for the gets, computes all cells
//   heat3d_..._overlap_exchange   in the calls of the gets and in the wait
//   heat3d_..._nonblocking_exchange
//
// Verified: a weighted sum over all cells and the last residual equal those of PE 0 alone.
#define _GNU_SOURCE
#include <math.h>

#include "bench/box.h"

enum { kSamplesMax = 64 };
enum Exchange { FACE_BY_FACE, NONBLOCKING, OVERLAP, kExchanges };
enum { TOTAL, COMPUTE, DATA, WAIT, SYNC, REDUCE, kParts };
static const char* const kPartNames[kParts] = {"",      "_compute", "_data",
                                               "_wait", "_sync",    "_reduce"};

static struct Block mine;
static double *now, *next;  // symmetric: the temperatures, and those after this iteration
static double* sums;        // symmetric: source and target of the all-reduce
static double reduce_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long reduce_sync[2][SHMEM_REDUCE_SYNC_SIZE];
static double ns[kParts];        // spent in each part
static int is_off_node[kFaces];  // a neighbour on another node

// The edge's temperature depends on the side; the inside is as uneven as can be.
static double first_temperature(const struct Block* b, long x, long y, long z) {
    long at[kDimensions] = {b->first[X] + x, b->first[Y] + y, b->first[Z] + z};
    if (at[X] == 0) return 1.0;
    for (int d = 0; d < kDimensions; ++d) {
        if (at[d] == 0 || at[d] > box[d]) return 0.0;
    }
    return random_of(b, 1, x, y, z);
}

// Own cells and the halo; cells beyond the box keep their temperature for ever.
static void fill(const struct Block* b, double* one, double* other) {
    for (long x = 0; x <= b->cells[X] + 1; ++x) {
        for (long y = 0; y <= b->cells[Y] + 1; ++y) {
            for (long z = 0; z <= b->cells[Z] + 1; ++z) {
                long at = cell(b, x, y, z);
                one[at] = other[at] = first_temperature(b, x, y, z);
            }
        }
    }
}

// ---- One iteration ----

static double flow(double from, double to) {  // diffusivity 1 + t / 2, the mean of both cells
    return (1.0 + 0.25 * (from + to)) * (from - to);
}

// Some cells of a block, the last ones included.
struct Part {
    long first[kDimensions], last[kDimensions];
};

static struct Part all_cells(const struct Block* b) {
    return (struct Part){{1, 1, 1}, {b->cells[X], b->cells[Y], b->cells[Z]}};
}

// The sum of the squared changes. Not inline: the same code for all exchanges, whose times are
// compared.
static __attribute__((noinline)) double compute(const struct Block* b, struct Part part,
                                                const double* old, double* new) {
    double change = 0;
    for (long x = part.first[X]; x <= part.last[X]; ++x) {
        for (long y = part.first[Y]; y <= part.last[Y]; ++y) {
            const double* restrict t = old + cell(b, x, y, 0);
            double* restrict to = new + cell(b, x, y, 0);
            for (long z = part.first[Z]; z <= part.last[Z]; ++z) {
                double in = flow(t[z - b->plane], t[z]) + flow(t[z + b->plane], t[z]) +
                            flow(t[z - b->row], t[z]) + flow(t[z + b->row], t[z]) +
                            flow(t[z - 1], t[z]) + flow(t[z + 1], t[z]);
                to[z] = t[z] + 0.1 * in;
                change += in * in;
            }
        }
    }
    return change;
}

static void get_cells(enum Exchange exchange, long to, long from, long count, int pe) {
    const size_t bytes = sizeof(double) * (size_t)count;
    if (exchange == FACE_BY_FACE) {
        shmem_getmem(now + to, now + from, bytes, pe);
    } else {
        shmem_getmem_nbi(now + to, now + from, bytes, pe);
    }
}

static void get_face(enum Exchange exchange, int face) {
    int pe = neighbour[face], dimension = face / 2;
    const long* cells = mine.cells;
    long to = face % 2 ? cells[dimension] + 1 : 0, from = 1;
    if (face % 2 == 0) {  // the last layer of the PE before this one
        int at = place[dimension];
        from = first_cell(dimension, at) - first_cell(dimension, at - 1);
    }
    if (dimension == X) {
        for (long y = 1; y <= cells[Y]; ++y)
            get_cells(exchange, cell(&mine, to, y, 1), cell(&mine, from, y, 1), cells[Z], pe);
        return;
    }
    for (long x = 1; x <= cells[X]; ++x) {
        if (dimension == Y) {
            get_cells(exchange, cell(&mine, x, to, 1), cell(&mine, x, from, 1), cells[Z], pe);
            continue;
        }
        for (long y = 1; y <= cells[Y]; ++y)
            get_cells(exchange, cell(&mine, x, y, to), cell(&mine, x, y, from), 1, pe);
    }
}

// RETURNS: the sum of the squared changes of this PE's cells.
static double step_face_by_face(void) {
    double before = now_ns(), after;
    for (int face = 0; face < kFaces; ++face) {
        if (neighbour[face] >= 0) get_face(FACE_BY_FACE, face);
        after = now_ns();
        ns[DATA] += after - before;
        shmem_barrier_all();
        before = now_ns();
        ns[WAIT] += before - after;
    }
    const double change = compute(&mine, all_cells(&mine), now, next);
    ns[COMPUTE] += now_ns() - before;
    return change;
}

// Computes the layers of cells that need what travels, each cell once, and takes them off `rest`.
static double peel_layers(struct Part* rest, int computes) {
    double change = 0;
    for (int face = 0; face < kFaces; ++face) {
        const int d = face / 2;
        if (!is_off_node[face] || rest->first[d] > rest->last[d]) continue;
        struct Part layer = *rest;
        if (face % 2 == 0) {
            layer.last[d] = rest->first[d]++;
        } else {
            layer.first[d] = rest->last[d]--;
        }
        if (computes) change += compute(&mine, layer, now, next);
    }
    return change;
}

static double step_at_once(enum Exchange exchange) {
    struct Part inside = all_cells(&mine), all = inside;
    double change = 0;
    peel_layers(&inside, 0);
    const double start = now_ns();
    for (int face = 0; face < kFaces; ++face) {
        if (neighbour[face] >= 0 && (exchange != OVERLAP || is_off_node[face]))
            get_face(exchange, face);
    }
    for (int face = 0; exchange == OVERLAP && face < kFaces; ++face) {
        if (neighbour[face] >= 0 && !is_off_node[face]) get_face(FACE_BY_FACE, face);
    }
    const double started = now_ns();
    if (exchange == OVERLAP) change = compute(&mine, inside, now, next);
    const double waits = now_ns();
    shmem_quiet();
    const double arrived = now_ns();
    ns[DATA] += started - start + arrived - waits;
    change += exchange == OVERLAP ? peel_layers(&all, 1) : compute(&mine, all, now, next);
    const double computed = now_ns();
    ns[COMPUTE] += waits - started + computed - arrived;
    shmem_barrier_all();  // the neighbours' next gets see these cells
    ns[WAIT] += now_ns() - computed;
    return change;
}

static double iterate(enum Exchange exchange, long k) {
    sums[0] = exchange == FACE_BY_FACE ? step_face_by_face() : step_at_once(exchange);
    double* swap = now;
    now = next;
    next = swap;
    const double start = now_ns();
    shmem_double_sum_to_all(&sums[1], &sums[0], 1, 0, 0, npes, reduce_work, reduce_sync[k % 2]);
    ns[REDUCE] += now_ns() - start;
    return sums[1];
}

// ---- Checking ----

static double weighted_sum(const struct Block* b, const double* of) {
    double sum = 0;
    for (long x = 1; x <= b->cells[X]; ++x) {
        for (long y = 1; y <= b->cells[Y]; ++y) {
            for (long z = 1; z <= b->cells[Z]; ++z)
                sum += random_of(b, 2, x, y, z) * of[cell(b, x, y, z)];
        }
    }
    return sum;
}

struct Outcome {
    double sum, residual;
};

// PE 0 computes the whole box alone; all PEs receive the outcome.
static struct Outcome expected_outcome(long iterations) {
    struct Outcome outcome = {0, 0};
    if (me == 0) {
        struct Block whole = whole_box();
        double* memory[2];
        for (int i = 0; i < 2; ++i) {
            memory[i] = malloc(sizeof(double) * whole.count);
            if (!memory[i]) give_up("no memory for the box of the reference");
        }
        fill(&whole, memory[0], memory[1]);
        for (long k = 0; k < iterations; ++k)
            outcome.residual = compute(&whole, all_cells(&whole), memory[k % 2], memory[1 - k % 2]);
        outcome.sum = weighted_sum(&whole, memory[iterations % 2]);
        free(memory[0]);
        free(memory[1]);
    }
    outcome.sum = agree(outcome.sum);
    outcome.residual = agree(outcome.residual);
    return outcome;
}

static void check(const char* what, double expected, double found) {
    if (fabs(found - expected) <= 1e-11 * fabs(expected)) return;
    give_up("heat in %ld x %ld x %ld: %s: expected %.17g, found %.17g", box[X], box[Y], box[Z],
            what, expected, found);
}

// ---- Measuring ----

static void one_sample(enum Exchange exchange, long iterations, struct Outcome expected) {
    double residual = 0;
    fill(&mine, now, next);
    memset(ns, 0, sizeof ns);
    shmem_barrier_all();
    double start = now_ns();
    for (long k = 0; k < iterations; ++k) residual = iterate(exchange, k);
    ns[TOTAL] = now_ns() - start;
    shmem_barrier_all();
    start = now_ns();
    for (long k = 0; k < iterations * kFaces; ++k) shmem_barrier_all();
    ns[SYNC] = now_ns() - start;
    check("residual", expected.residual, residual);
    check("weighted sum", expected.sum, fold_all(weighted_sum(&mine, now), SUM_OF_ALL));
}

static void report_times(const char* mode, const char* what, const double* us, int samples) {
    char name[64];
    snprintf(name, sizeof name, "heat3d_%s%s", mode, what);
    report(name, "cells", (double)(box[X] * box[Y] * box[Z]), "us", 1, us, samples, 0);
}

static void measure(const char* mode, long iterations, int samples) {
    static double us[kExchanges][kParts][kSamplesMax];
    if (!box_fits()) return;
    mine = block_of_this_pe();
    double* memory = allocate(64, 2 * sizeof(double) * mine.count);
    for (int face = 0; face < kFaces; ++face)
        is_off_node[face] = neighbour[face] >= 0 && shmem_ptr(memory, neighbour[face]) == NULL;
    struct Outcome expected = expected_outcome(iterations);
    for (int i = -1; i < samples; ++i) {  // one sample to warm up
        for (enum Exchange exchange = 0; exchange < kExchanges; ++exchange) {
            now = memory;
            next = memory + mine.count;
            one_sample(exchange, iterations, expected);
            for (int part = 0; part < kParts; ++part) {
                double slowest = fold_all(ns[part], MAX_OF_ALL);
                if (i >= 0) us[exchange][part][i] = slowest * 1e-3 / (double)iterations;
            }
        }
    }
    for (int part = 0; part < kParts; ++part)
        report_times(mode, kPartNames[part], us[FACE_BY_FACE][part], samples);
    report_times(mode, "_nonblocking", us[NONBLOCKING][TOTAL], samples);
    report_times(mode, "_nonblocking_exchange", us[NONBLOCKING][DATA], samples);
    report_times(mode, "_overlap", us[OVERLAP][TOTAL], samples);
    report_times(mode, "_overlap_exchange", us[OVERLAP][DATA], samples);
    shmem_barrier_all();
    shmem_free(memory);
}

static void set_box(long x, long y, long z) {
    box[X] = x;
    box[Y] = y;
    box[Z] = z;
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const char* sizes = option_text("--box", NULL);
    long iterations = option("--iterations", 0);
    options_end("[--box XxYxZ] [--iterations N]");
    long given[kDimensions] = {0, 0, 0};
    if (iterations < 0 ||
        (sizes && (sscanf(sizes, "%ldx%ldx%ld", &given[X], &given[Y], &given[Z]) != 3 ||
                   given[X] < 1 || given[Y] < 1 || given[Z] < 1))) {
        give_up("--box takes three positive numbers like 64x128x256, --iterations one");
    }
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i)
        reduce_sync[0][i] = reduce_sync[1][i] = SHMEM_SYNC_VALUE;
    sums = allocate(64, 64);
    place_pes();
    int samples = by_level(1, 9, 15);
    long side = by_level(8, 32, 32);
    if (sizes) {
        set_box(given[X], given[Y], given[Z]);
        measure("box", iterations ? iterations : 20, samples);
    } else {
        set_box(side * pes[X], side * pes[Y], side * pes[Z]);
        measure("weak", iterations ? iterations : by_level(5, 100, 300), samples);
        set_box(by_level(12, 32, 64), by_level(14, 64, 128), by_level(18, 128, 256));
        measure("strong", iterations ? iterations : by_level(5, 30, 60), samples);
    }
    end();
    return 0;
}
