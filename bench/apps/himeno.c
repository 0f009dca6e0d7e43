// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is an incompressible flow's pressure equation, and what does its halo of strided puts
// cost? The Himeno benchmark, which Ravichandrasekaran 2015 section 5.4 runs with coarrays:
// 19-point Jacobi for Poisson's equation in floats, 34 operations a point. It follows the
// benchmark's published rules (sizes, coefficients, relaxation 0.8, first pressure i*i, an
// all-reduce of gosa, the squared residual, after every iteration) but is not the official code,
// and its numbers are no scores.
//
// The box is cut in all three dimensions, z (the contiguous one) first, and the halo travels by
// puts in three steps, so that the stencil's diagonal neighbours are right: z faces by strided puts
// of single floats, y faces by a put for each row, x faces by one put. Flags tell of the arrival.
//
// Verified: gosa and a weighted sum of the pressures equal those of PE 0 alone; and before that, in
// a small box, with coefficients and pressures that differ everywhere (the official ones make the
// diagonal neighbours count nothing).
#define _GNU_SOURCE
#include <math.h>

#include "bench/box.h"
#include "bench/measure.h"

enum { kSamplesMax = 64, kRowMax = 4096 };
enum { A0, A1, A2, A3, B0, B1, B2, C0, C1, C2, BOUND, WORK, kFields };
static const float kOmega = 0.8f;

struct Domain {
    struct Block block;
    float* p;        // pressures
    float* changed;  // pressures of the next iteration
    float* fields[kFields];
    float* memory;  // block with all fields but p
};

static struct Domain mine;     // p is symmetric
static double* sums;           // symmetric: source and target of the all-reduce
static long* arrived;          // symmetric: the last step whose halo came through each face
static long step;              // halo exchanges so far
static double halo_ns;         // spent on them
static int has_random_fields;  // the check in the small box
static double reduce_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long reduce_sync[2][SHMEM_REDUCE_SYNC_SIZE];

// ---- The domain's values ----

static const float kOfficial[kFields] = {1, 1, 1, 1.0f / 6, 0, 0, 0, 1, 1, 1, 1, 0};

static struct Domain domain_of(struct Block block, float* pressures) {
    struct Domain domain = {.block = block, .p = pressures};
    domain.memory = malloc(sizeof(float) * block.count * (kFields + 1));
    if (!domain.memory) give_up("no memory for %d arrays of %zu floats", kFields + 1, block.count);
    domain.changed = domain.memory;
    for (int f = 0; f < kFields; ++f)
        domain.fields[f] = domain.memory + (size_t)(f + 1) * block.count;
    return domain;
}

// The edge, where the pressure never changes, is the layer 0 and the last + 1 of the box.
static void fill(struct Domain* d) {
    const struct Block* b = &d->block;
    double last = (double)((box[X] + 1) * (box[X] + 1));
    for (long x = 0; x <= b->cells[X] + 1; ++x) {
        for (long y = 0; y <= b->cells[Y] + 1; ++y) {
            for (long z = 0; z <= b->cells[Z] + 1; ++z) {
                long at = cell(b, x, y, z), i = b->first[X] + x;
                d->p[at] = (float)((double)(i * i) / last);
                if (has_random_fields) d->p[at] += (float)random_of(b, kFields, x, y, z);
                for (int f = 0; f < kFields; ++f) {
                    d->fields[f][at] = kOfficial[f];
                    if (has_random_fields)
                        d->fields[f][at] += 0.1f * (float)random_of(b, f, x, y, z);
                }
            }
        }
    }
}

// ---- One iteration ----

static double relax_row(const struct Domain* d, long start) {
    const long x = d->block.plane, y = d->block.row, count = d->block.cells[Z];
    float squares[kRowMax];
    float* restrict changed = d->changed + start;
    const float* restrict p = d->p + start;
    const float *a0 = d->fields[A0] + start, *a1 = d->fields[A1] + start,
                *a2 = d->fields[A2] + start, *a3 = d->fields[A3] + start,
                *b0 = d->fields[B0] + start, *b1 = d->fields[B1] + start,
                *b2 = d->fields[B2] + start, *c0 = d->fields[C0] + start,
                *c1 = d->fields[C1] + start, *c2 = d->fields[C2] + start,
                *bound = d->fields[BOUND] + start, *work = d->fields[WORK] + start;
    for (long k = 0; k < count; ++k) {
        float sum = a0[k] * p[k + x] + a1[k] * p[k + y] + a2[k] * p[k + 1] +
                    b0[k] * (p[k + x + y] - p[k + x - y] - p[k - x + y] + p[k - x - y]) +
                    b1[k] * (p[k + y + 1] - p[k - y + 1] - p[k + y - 1] + p[k - y - 1]) +
                    b2[k] * (p[k + x + 1] - p[k - x + 1] - p[k + x - 1] + p[k - x - 1]) +
                    c0[k] * p[k - x] + c1[k] * p[k - y] + c2[k] * p[k - 1] + work[k];
        float residual = (sum * a3[k] - p[k]) * bound[k];
        squares[k] = residual * residual;
        changed[k] = p[k] + kOmega * residual;
    }
    double gosa = 0;
    for (long k = 0; k < count; ++k) gosa += (double)squares[k];
    return gosa;
}

// Gosa of the domain.
static double relax(const struct Domain* d) {
    const struct Block* b = &d->block;
    double gosa = 0;
    for (long x = 1; x <= b->cells[X]; ++x) {
        for (long y = 1; y <= b->cells[Y]; ++y) gosa += relax_row(d, cell(b, x, y, 1));
    }
    for (long x = 1; x <= b->cells[X]; ++x) {
        for (long y = 1; y <= b->cells[Y]; ++y) {
            size_t bytes = sizeof(float) * (size_t)b->cells[Z];
            memcpy(d->p + cell(b, x, y, 1), d->changed + cell(b, x, y, 1), bytes);
        }
    }
    return gosa;
}

// Puts this PE's layer at `from` into the neighbour's halo at `to`, together with the halo values
// that earlier steps put here.
static void put_face(int dimension, long from, long to, int pe) {
    const struct Block* b = &mine.block;
    float* p = mine.p;
    size_t row_bytes = sizeof(float) * (size_t)(b->cells[Z] + 2);
    if (dimension == X) {
        size_t plane_bytes = sizeof(float) * (size_t)(b->row * (b->cells[Y] + 2));
        shmem_putmem(p + cell(b, to, 0, 0), p + cell(b, from, 0, 0), plane_bytes, pe);
        return;
    }
    for (long x = 1; x <= b->cells[X]; ++x) {
        if (dimension == Y) {
            shmem_putmem(p + cell(b, x, to, 0), p + cell(b, x, from, 0), row_bytes, pe);
        } else {
            shmem_float_iput(p + cell(b, x, 1, to), p + cell(b, x, 1, from), b->row, b->row,
                             (size_t)b->cells[Y], pe);
        }
    }
}

// The PEs next to this one have finished the last iteration, because the all-reduce lies between.
static void exchange_halo(void) {
    ++step;
    for (int d = Z; d >= X; --d) {
        int low = neighbour[2 * d], high = neighbour[2 * d + 1], at = place[d];
        long cells_below = at > 0 ? first_cell(d, at) - first_cell(d, at - 1) : 0;
        if (low >= 0) put_face(d, 1, cells_below + 1, low);
        if (high >= 0) put_face(d, mine.block.cells[d], 0, high);
        shmem_fence();
        if (low >= 0) shmem_long_p(&arrived[2 * d + 1], step, low);
        if (high >= 0) shmem_long_p(&arrived[2 * d], step, high);
        if (low >= 0) shmem_long_wait_until(&arrived[2 * d], SHMEM_CMP_GE, step);
        if (high >= 0) shmem_long_wait_until(&arrived[2 * d + 1], SHMEM_CMP_GE, step);
    }
}

static double iterate(long k) {
    sums[0] = relax(&mine);
    shmem_double_sum_to_all(&sums[1], &sums[0], 1, 0, 0, npes, reduce_work, reduce_sync[k % 2]);
    double start = now_ns();
    exchange_halo();
    halo_ns += now_ns() - start;
    return sums[1];
}

// ---- Checking ----

static double weighted_sum(const struct Domain* d) {
    const struct Block* b = &d->block;
    double sum = 0;
    for (long x = 1; x <= b->cells[X]; ++x) {
        for (long y = 1; y <= b->cells[Y]; ++y) {
            for (long z = 1; z <= b->cells[Z]; ++z)
                sum += random_of(b, 100, x, y, z) * (double)d->p[cell(b, x, y, z)];
        }
    }
    return sum;
}

struct Outcome {
    double gosa, sum;
};

// PE 0 computes the whole box alone; all PEs receive the outcome.
static struct Outcome expected_outcome(long iterations) {
    struct Outcome outcome = {0, 0};
    if (me == 0) {
        struct Block block = whole_box();
        float* pressures = malloc(sizeof(float) * block.count);
        if (!pressures) give_up("no memory for the pressures of the reference");
        struct Domain whole = domain_of(block, pressures);
        fill(&whole);
        for (long k = 0; k < iterations; ++k) outcome.gosa = relax(&whole);
        outcome.sum = weighted_sum(&whole);
        free(whole.memory);
        free(pressures);
    }
    outcome.gosa = agree(outcome.gosa);
    outcome.sum = agree(outcome.sum);
    return outcome;
}

// One cell's pressure is computed in the same way everywhere; the order of the sums differs.
static void check(const char* what, double expected, double found) {
    if (fabs(found - expected) <= 1e-9 * fabs(expected)) return;
    give_up("himeno of %ld x %ld x %ld: %s: expected %.12g, found %.12g", box[X] + 2, box[Y] + 2,
            box[Z] + 2, what, expected, found);
}

// ---- Measuring ----

// Nanoseconds of the slowest PE.
static double one_sample(long iterations, struct Outcome expected) {
    double gosa = 0;
    fill(&mine);
    halo_ns = 0;
    shmem_barrier_all();
    double start = now_ns();
    for (long k = 0; k < iterations; ++k) gosa = iterate(k);
    double taken = fold_all(now_ns() - start, MAX_OF_ALL);
    check("gosa", expected.gosa, gosa);
    check("weighted sum", expected.sum, fold_all(weighted_sum(&mine), SUM_OF_ALL));
    return taken;
}

// `points` in x and y, with the edge; twice as many in z. No samples: only check.
static void measure(long points, long iterations, int samples) {
    double mflops[kSamplesMax], halo_us[kSamplesMax];
    box[X] = box[Y] = points - 2;
    box[Z] = 2 * points - 2;
    if (!box_fits()) return;
    struct Block block = block_of_this_pe();
    float* pressures = allocate(64, sizeof(float) * block.count);
    mine = domain_of(block, pressures);
    struct Outcome expected = expected_outcome(iterations);
    double operations = 34.0 * (double)(box[X] * box[Y] * box[Z]) * (double)iterations;
    for (int i = -1; i < samples; ++i) {  // one sample to warm up
        double taken = one_sample(iterations, expected);
        double halo = fold_all(halo_ns, MAX_OF_ALL);
        if (i < 0) continue;
        mflops[i] = operations * 1e3 / taken;
        halo_us[i] = halo * 1e-3 / (double)iterations;
    }
    report("himeno", "points", (double)points, "MFLOPS", 0, mflops, samples, 0);
    if (npes > 1) report("himeno_halo", "points", (double)points, "us", 1, halo_us, samples, 0);
    free(mine.memory);
    shmem_barrier_all();
    shmem_free(pressures);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const char* size = option_text("--size", NULL);
    long iterations = option("--iterations", 0);
    options_end("[--size XS|S|M|L] [--iterations N]");
    static const char* const kSizes[] = {"XS", "S", "M", "L"};  // points in x: 32, 64, 128, 256
    static const int kQuick[] = {160, 40, 20, 10};  // iterations: samples outlast time slices
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i)
        reduce_sync[0][i] = reduce_sync[1][i] = SHMEM_SYNC_VALUE;
    sums = allocate(64, 64);
    arrived = allocate(64, 64);
    place_pes();
    has_random_fields = 1;
    measure(18, 3, 0);
    has_random_fields = 0;
    int is_known = !size;
    for (int i = 0; i < 4; ++i) {
        int is_wanted = size ? strcmp(size, kSizes[i]) == 0 : i <= by_level(0, 1, 2);
        long times = iterations ? iterations : by_level(4, kQuick[i], 2 * kQuick[i]);
        if (is_wanted) measure(32L << i, times, by_level(1, 9, 15));
        is_known |= is_wanted;
    }
    if (!is_known || iterations < 0) give_up("--size takes XS, S, M or L, --iterations a number");
    end();
    return 0;
}
