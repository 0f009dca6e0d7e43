// SPDX-License-Identifier: BSD-3-Clause
//
// What does a halo exchange by gets cost, and how much of that is data and how much
// synchronisation? What does a PE gain that computes while its halo travels? The heat conduction of
// Zhou 2016, chapter 8, and Zhou and Gracia 2017, section 5.3, for apps/heat3d.c (OpenSHMEM),
// dart/heat3d_gets.c, dart/heat3d_mpi.c and dart/heat3d_shared_mpi.c: a box of doubles with a
// diffusivity that grows with the temperature, edges of constant temperature, cut in all three
// dimensions. Each iteration gets the six faces, x and y faces by rows of z cells, z faces cell by
// cell. It computes, and an all-reduce tells how far the solution is from steady.
//
//   weak        32 x 32 x 32 cells of each PE
//   columns     8 x 8 x 512 cells of each PE, cut in x and y only, so that rows have 4 KiB
//   strong      one box for all
//   converged   one box until the mean square of the changes is small; others have a fixed number
//               of iterations
//   box         --box XxYxZ in place of these, cut as --cuts XxYxZ says, for at most --iterations N
//               or until the changes are at most --until CHANGE
//
// Each has three exchanges:
//
//                  blocking gets, a barrier after each face
//   _nonblocking   starts the gets of all faces, waits for them, computes, one barrier
//   _overlap       starts the gets, computes the inside, waits for them, computes the layers that
//                  need them. A program that can load a neighbour's cells does so before the inside
//
// Each reports microseconds of one iteration, or milliseconds until the box has converged, of the
// slowest PE: all of it, _compute, _data (in the gets and in their wait), _wait (in the barriers
// between them, skew of the PEs included), _sync (as many barriers back to back, as the papers
// count them) and _reduce.
//
// The program verifies that iterations, residual and a weighted sum over all cells equal those of
// PE 0 alone, so they agree among the programs, and that a box converges to the known solution.
#pragma once

#include <math.h>

#include "bench/box.h"

// The program defines these, and give_up().
static void meet(void);
static double greatest(double value);
static double sum_of_all(double value);
// Allocates `bytes` on each PE. RETURNS: the own part.
static double* allocate_cells(size_t bytes);
static void free_cells(void);
// Both copy cells of another PE; `from` is the address that they have in the own part. finish_cells
// returns when all that start_cells has started is complete.
static void get_cells(double* to, const double* from, long count, int pe);
static void start_cells(double* to, const double* from, long count, int pe);
static void finish_cells(void);
// RETURNS: whether the program cannot load the cells of this PE.
static int must_travel(int pe);

enum { kTimesMax = 64 };
enum Exchange { FACE_BY_FACE, NONBLOCKING, OVERLAP, kExchanges };
enum { TOTAL, COMPUTE, DATA, WAIT, SYNC, REDUCE, kParts };

struct Problem {
    const char* name;
    long iterations_max;
    double enough;  // the root of the mean square of the changes; -1: all iterations
};

struct Outcome {
    double iterations, residual, sum;
};

static struct Block mine;
static double *now, *next;   // the temperatures, and those after this iteration
static double ns[kParts];    // spent in each part
static int travels[kFaces];  // a neighbour whose cells this PE cannot load

// ---- The temperatures ----

// Both cells' mean diffusivity, 1 + t / 2, so the flow is the difference of t + t * t / 4.
static double flow(double from, double to) { return (1.0 + 0.25 * (from + to)) * (from - to); }

// The solution, where t + t * t / 4 is linear, so that as much flows in as out. The edges have it
// from the start.
static double steady_temperature(const struct Block* b, long x, long y, long z) {
    const double at = (double)(b->first[X] + x) / (double)(box[X] + 1) +
                      (double)(b->first[Y] + y) / (double)(box[Y] + 1) +
                      (double)(b->first[Z] + z) / (double)(box[Z] + 1);
    return 2 * (sqrt(1 + at * 1.25 / 3) - 1);
}

// The inside is as uneven as can be.
static double first_temperature(const struct Block* b, long x, long y, long z) {
    const long at[kDimensions] = {b->first[X] + x, b->first[Y] + y, b->first[Z] + z};
    for (int d = 0; d < kDimensions; ++d) {
        if (at[d] == 0 || at[d] > box[d]) return steady_temperature(b, x, y, z);
    }
    return random_of(b, 1, x, y, z);
}

// Own cells and the halo; cells beyond the box keep their temperature for ever.
static void fill(const struct Block* b, double* one, double* other) {
    for (long x = 0; x <= b->cells[X] + 1; ++x) {
        for (long y = 0; y <= b->cells[Y] + 1; ++y) {
            for (long z = 0; z <= b->cells[Z] + 1; ++z) {
                const long at = cell(b, x, y, z);
                one[at] = other[at] = first_temperature(b, x, y, z);
            }
        }
    }
}

// ---- One iteration ----

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
                const double in = flow(t[z - b->plane], t[z]) + flow(t[z + b->plane], t[z]) +
                                  flow(t[z - b->row], t[z]) + flow(t[z + b->row], t[z]) +
                                  flow(t[z - 1], t[z]) + flow(t[z + 1], t[z]);
                to[z] = t[z] + 0.1 * in;
                change += in * in;
            }
        }
    }
    return change;
}

static void get_row(int starts, long to, long from, long count, int pe) {
    if (starts) {
        start_cells(now + to, now + from, count, pe);
    } else {
        get_cells(now + to, now + from, count, pe);
    }
}

static void get_face(int starts, int face) {
    const int pe = neighbour[face], dimension = face / 2;
    const long* cells = mine.cells;
    long to = face % 2 ? cells[dimension] + 1 : 0, from = 1;
    if (face % 2 == 0) {  // the last layer of the PE before this one
        const int at = place[dimension];
        from = first_cell(dimension, at) - first_cell(dimension, at - 1);
    }
    if (dimension == X) {
        for (long y = 1; y <= cells[Y]; ++y)
            get_row(starts, cell(&mine, to, y, 1), cell(&mine, from, y, 1), cells[Z], pe);
        return;
    }
    for (long x = 1; x <= cells[X]; ++x) {
        if (dimension == Y) {
            get_row(starts, cell(&mine, x, to, 1), cell(&mine, x, from, 1), cells[Z], pe);
            continue;
        }
        for (long y = 1; y <= cells[Y]; ++y)
            get_row(starts, cell(&mine, x, y, to), cell(&mine, x, y, from), 1, pe);
    }
}

// RETURNS: the sum of the squared changes of this PE's cells.
static double step_face_by_face(void) {
    double before = now_ns(), after;
    for (int face = 0; face < kFaces; ++face) {
        if (neighbour[face] >= 0) get_face(0, face);
        after = now_ns();
        ns[DATA] += after - before;
        meet();
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
        if (!travels[face] || rest->first[d] > rest->last[d]) continue;
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
        if (neighbour[face] >= 0 && (exchange != OVERLAP || travels[face])) get_face(1, face);
    }
    for (int face = 0; exchange == OVERLAP && face < kFaces; ++face) {
        if (neighbour[face] >= 0 && !travels[face]) get_face(0, face);
    }
    const double started = now_ns();
    if (exchange == OVERLAP) change = compute(&mine, inside, now, next);
    const double waits = now_ns();
    finish_cells();
    const double arrived = now_ns();
    ns[DATA] += started - start + arrived - waits;
    change += exchange == OVERLAP ? peel_layers(&all, 1) : compute(&mine, all, now, next);
    const double computed = now_ns();
    ns[COMPUTE] += waits - started + computed - arrived;
    meet();  // the neighbours' next gets see these cells
    ns[WAIT] += now_ns() - computed;
    return change;
}

// RETURNS: the sum of all PEs. The all-reduce ends it: no PE writes cells that others still read.
static double iterate(enum Exchange exchange) {
    const double change = exchange == FACE_BY_FACE ? step_face_by_face() : step_at_once(exchange);
    double* const swap = now;
    now = next;
    next = swap;
    const double start = now_ns();
    const double result = sum_of_all(change);
    ns[REDUCE] += now_ns() - start;
    return result;
}

// ---- A whole problem ----

static double cells_of_box(void) { return (double)(box[X] * box[Y] * box[Z]); }

// Counts the iteration. RETURNS: another one is needed.
static int goes_on(const struct Problem* problem, struct Outcome* outcome, double change) {
    outcome->residual = sqrt(change / cells_of_box());
    outcome->iterations += 1;
    return outcome->iterations < (double)problem->iterations_max &&
           outcome->residual > problem->enough;
}

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

static struct Outcome serial_outcome(const struct Problem* problem) {
    const struct Block whole = whole_box();
    struct Outcome outcome = {0, 0, 0};
    double* from = malloc(sizeof(double) * whole.count);
    double* to = malloc(sizeof(double) * whole.count);
    if (!from || !to) give_up("no memory for the box of the reference");
    fill(&whole, from, to);
    double change = 0;
    do {
        change = compute(&whole, all_cells(&whole), from, to);
        double* const swap = from;
        from = to;
        to = swap;
    } while (goes_on(problem, &outcome, change));
    outcome.sum = weighted_sum(&whole, from);
    free(from);
    free(to);
    return outcome;
}

// PE 0 computes the whole box alone; all PEs receive the outcome.
static struct Outcome expected_outcome(const struct Problem* problem) {
    struct Outcome outcome = {0, 0, 0};
    if (me == 0) outcome = serial_outcome(problem);
    outcome.iterations = sum_of_all(outcome.iterations);
    outcome.residual = sum_of_all(outcome.residual);
    outcome.sum = sum_of_all(outcome.sum);
    return outcome;
}

static void check(const char* what, double expected, double found) {
    if (fabs(found - expected) <= 1e-11 * fabs(expected)) return;
    fprintf(stderr, "heat in %ld x %ld x %ld: expected %.17g, found %.17g\n", box[X], box[Y],
            box[Z], expected, found);
    give_up(what);
}

// Away from the edges an error is as large as its change times the square of the way to them.
static void check_steady(double change) {
    const double most = change * (double)((box[X] + 1) * (box[Y] + 1));
    for (long x = 1; x <= mine.cells[X]; ++x) {
        for (long y = 1; y <= mine.cells[Y]; ++y) {
            for (long z = 1; z <= mine.cells[Z]; ++z) {
                const double error = now[cell(&mine, x, y, z)] - steady_temperature(&mine, x, y, z);
                if (!(fabs(error) < most)) give_up("wrong steady temperature");
            }
        }
    }
}

// ---- Measuring ----

static void one_sample(enum Exchange exchange, const struct Problem* problem,
                       const struct Outcome* expected) {
    struct Outcome outcome = {0, 0, 0};
    fill(&mine, now, next);
    memset(ns, 0, sizeof ns);
    meet();
    double start = now_ns();
    while (goes_on(problem, &outcome, iterate(exchange))) {
    }
    ns[TOTAL] = now_ns() - start;
    outcome.sum = sum_of_all(weighted_sum(&mine, now));
    const double meetings = outcome.iterations * (exchange == FACE_BY_FACE ? kFaces : 1);
    start = now_ns();
    for (double k = 0; k < meetings; ++k) meet();
    ns[SYNC] = now_ns() - start;
    check("wrong number of iterations", expected->iterations, outcome.iterations);
    check("wrong residual", expected->residual, outcome.residual);
    check("wrong weighted sum", expected->sum, outcome.sum);
    if (problem->enough > 0) check_steady(problem->enough);
}

static void report_times(const char* program, const struct Problem* problem, enum Exchange exchange,
                         double us[kParts][kTimesMax], int samples) {
    static const char* const exchanges[kExchanges] = {"", "_nonblocking", "_overlap"};
    static const char* const parts[kParts] = {"", "_compute", "_data", "_wait", "_sync", "_reduce"};
    for (int part = 0; part < kParts; ++part) {
        char name[96];
        snprintf(name, sizeof name, "%s_%s%s%s", program, problem->name, exchanges[exchange],
                 parts[part]);
        report(name, "cells", cells_of_box(), problem->enough > 0 ? "ms" : "us", 1, us[part],
               samples, 0);
    }
}

static void measure(const char* program, const struct Problem* problem, long x, long y, long z) {
    static double times[kExchanges][kParts][kTimesMax];
    const int samples = by_level(1, 7, 15);
    box[X] = x;
    box[Y] = y;
    box[Z] = z;
    if (!box_fits()) return;
    mine = block_of_this_pe();
    double* const memory = allocate_cells(2 * sizeof(double) * mine.count);
    for (int face = 0; face < kFaces; ++face)
        travels[face] = neighbour[face] >= 0 && must_travel(neighbour[face]);
    const struct Outcome expected = expected_outcome(problem);
    const double scale = problem->enough > 0 ? 1e-6 : 1e-3 / expected.iterations;
    for (int i = -1; i < samples; ++i) {  // one to warm up
        for (enum Exchange exchange = 0; exchange < kExchanges; ++exchange) {
            now = memory;
            next = memory + mine.count;
            one_sample(exchange, problem, &expected);
            for (int part = 0; part < kParts; ++part)
                times[exchange][part][i < 0 ? 0 : i] = greatest(ns[part]) * scale;
        }
    }
    if (me == 0) {
        printf("%s, %ld x %ld x %ld: %.0f iterations, residual %.9e, weighted sum %.12g\n",
               problem->name, box[X], box[Y], box[Z], expected.iterations, expected.residual,
               expected.sum);
    }
    for (enum Exchange exchange = 0; exchange < kExchanges; ++exchange)
        report_times(program, problem, exchange, times[exchange], samples);
    meet();
    free_cells();
}

// RETURNS: whether the option was given.
static int read_sizes(const char* name, long sizes[kDimensions]) {
    const char* text = option_text(name, NULL);
    if (!text) return 0;
    if (sscanf(text, "%ldx%ldx%ld", &sizes[X], &sizes[Y], &sizes[Z]) != 3 || sizes[X] < 1 ||
        sizes[Y] < 1 || sizes[Z] < 1) {
        give_up("--box and --cuts take three positive numbers like 64x128x256");
    }
    return 1;
}

// `program` begins the names of all measures.
static void measure_all(const char* program) {
    long sizes[kDimensions], cuts[kDimensions];
    const int is_given = read_sizes("--box", sizes), is_cut = read_sizes("--cuts", cuts);
    const struct Problem given = {"box", option("--iterations", 20),
                                  strtod(option_text("--until", "-1"), NULL)};
    if (unknown_option() || given.iterations_max < 1 || (is_cut && !is_given) ||
        (is_cut && cuts[X] * cuts[Y] * cuts[Z] != npes)) {
        give_up(
            "usage: [--tiny|--quick] [--box XxYxZ [--cuts XxYxZ, whose product is the PEs] "
            "[--iterations N] [--until CHANGE]]");
    }
    place_pes();
    if (is_cut) place_pes_in((int)cuts[X], (int)cuts[Y], (int)cuts[Z]);
    if (is_given) {
        measure(program, &given, sizes[X], sizes[Y], sizes[Z]);
        return;
    }
    const long side = by_level(8, 32, 32), iterations = by_level(5, 50, 300);
    const struct Problem weak = {"weak", iterations, -1}, columns = {"columns", iterations, -1};
    const struct Problem strong = {"strong", by_level(5, 30, 60), -1};
    const struct Problem converged = {"converged", 5000, level == TINY ? 1e-4 : 1e-7};
    measure(program, &weak, side * pes[X], side * pes[Y], side * pes[Z]);
    measure(program, &strong, by_level(12, 32, 64), by_level(14, 64, 128), by_level(18, 128, 256));
    measure(program, &converged, by_level(4, 16, 16), by_level(5, 16, 16), by_level(6, 32, 32));
    place_pes_in(divisor(npes, 2), npes / divisor(npes, 2), 1);
    measure(program, &columns, 8L * pes[X], 8L * pes[Y], by_level(16, 512, 512));
}
