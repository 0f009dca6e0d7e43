// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is a program that only makes single small accesses to random PEs, and must wait for the
// results of some? It transposes a sparse matrix in compressed rows, which are dealt out in blocks:
// every nonzero adds one to the length of its new row (atomic increment at the PE that has it);
// from the lengths each PE finds where its new rows begin; every nonzero then takes a place in its
// new row (fetch and increment) and is put there, column and value by themselves.
//
// Verified after every sample: each entry of the result is one of the matrix (its value says
// which), stands in the row of that one's column, and is there once; and there are as many.
#define _GNU_SOURCE
#include "bench/measure.h"

enum { kPerRow = 16, kSamplesMax = 64 };

static long n;                // rows, and columns
static long rows_each;        // on each PE; the last PEs may have fewer
static long first_row, rows;  // on this PE
static int* columns;          // the nonzeros of this PE, kPerRow for each row
static double* values;        // and their values
static long* place;           // symmetric: lengths of the new rows, then the next free place
static long* row_start;       // where each new row begins
static long capacity;         // length of the next two
static int* new_columns;      // symmetric
static double* new_values;    // symmetric

// ---- The matrix: values tell row and number in the row, columns rise and are otherwise random
// ----

static int column_of(long row, long k) {
    uint64_t x = (uint64_t)(row * kPerRow + k) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 29)) * 0xD6E8FEB86659FD93u;
    long width = n / kPerRow;
    return (int)(k * width + (long)((x >> 33) % (uint64_t)width));
}

static void make_matrix(void) {
    for (long row = 0; row < rows; ++row) {
        for (long k = 0; k < kPerRow; ++k) {
            columns[row * kPerRow + k] = column_of(first_row + row, k);
            values[row * kPerRow + k] = (double)((first_row + row) * kPerRow + k);
        }
    }
}

// ---- The transposition ----

static void count(void) {
    memset(place, 0, sizeof(long) * (size_t)rows_each);
    shmem_barrier_all();
    uint32_t each = (uint32_t)rows_each;
    for (long i = 0; i < rows * kPerRow; ++i) {
        uint32_t column = (uint32_t)columns[i];
        shmem_long_atomic_inc(&place[column % each], (int)(column / each));
    }
    shmem_barrier_all();
}

static void find_row_starts(void) {
    row_start[0] = 0;
    for (long row = 0; row < rows; ++row) {
        row_start[row + 1] = row_start[row] + place[row];
        place[row] = row_start[row];
    }
    if (row_start[rows] > capacity)
        give_up("transpose: %ld nonzeros for this PE, room for %ld", row_start[rows], capacity);
    shmem_barrier_all();
}

static void fill(void) {
    uint32_t each = (uint32_t)rows_each;
    for (long row = 0; row < rows; ++row) {
        for (long i = row * kPerRow; i < (row + 1) * kPerRow; ++i) {
            uint32_t column = (uint32_t)columns[i];
            int pe = (int)(column / each);
            long at = shmem_long_atomic_fetch_inc(&place[column % each], pe);
            shmem_int_p(&new_columns[at], (int)(first_row + row), pe);
            shmem_double_p(&new_values[at], values[i], pe);
        }
    }
    shmem_barrier_all();
}

// ---- Checking ----

static void check_entry(long row, long entry) {
    long number = (long)new_values[entry], old_row = number / kPerRow, k = number % kPerRow;
    if (number >= 0 && old_row < n && old_row == new_columns[entry] &&
        column_of(old_row, k) == first_row + row) {
        return;
    }
    give_up("transpose: row %ld has an entry of column %d and value %.0f, which is none of it",
            first_row + row, new_columns[entry], new_values[entry]);
}

static void check(void) {
    for (long row = 0; row < rows; ++row) {
        long begin = row_start[row], end = row_start[row + 1];
        for (long entry = begin; entry < end; ++entry) check_entry(row, entry);
        qsort(new_values + begin, (size_t)(end - begin), sizeof(double), by_value);
        for (long entry = begin + 1; entry < end; ++entry) {
            if (new_values[entry - 1] == new_values[entry]) {
                give_up("transpose: row %ld has the entry of value %.0f twice", first_row + row,
                        new_values[entry]);
            }
        }
    }
    double entries = fold_all((double)row_start[rows], SUM_OF_ALL);
    if (entries != (double)(n * kPerRow))
        give_up("transpose: expected %ld entries, found %.0f", n * kPerRow, entries);
    // Results of an earlier sample must not look right.
    for (long entry = 0; entry < row_start[rows]; ++entry) {
        new_columns[entry] = -1;
        new_values[entry] = -1;
    }
}

// ---- Measuring ----

enum { ALL, COUNT, FILL, kParts };

static void measure(int samples) {
    static double rate[kParts][kSamplesMax];
    static const char* const kNames[kParts] = {"transpose", "transpose_count", "transpose_fill"};
    for (int i = -1; i < samples; ++i) {  // one sample to warm up
        double ns[kParts];
        double start = now_ns();
        count();
        double counted = now_ns();
        find_row_starts();
        double found = now_ns();
        fill();
        double filled = now_ns();
        ns[ALL] = filled - start;
        ns[COUNT] = counted - start;
        ns[FILL] = filled - found;
        check();
        for (int part = 0; part < kParts; ++part) {
            double slowest = fold_all(ns[part], MAX_OF_ALL);
            if (i >= 0) rate[part][i] = (double)(n * kPerRow) * 1e3 / slowest;
        }
    }
    for (int part = 0; part < kParts; ++part)
        report(kNames[part], "rows", (double)n, "Mentries/s", 0, rate[part], samples, 0);
}

static void measure_matrix(long size, int samples) {
    n = size;
    rows_each = (n + npes - 1) / npes;
    first_row = rows_each * me < n ? rows_each * me : n;
    rows = first_row + rows_each < n ? rows_each : n - first_row;
    capacity = rows_each * kPerRow * 5 / 4 + 1024;  // rows are random: a PE may get a little more
    place = allocate(64, sizeof(long) * (size_t)rows_each);
    new_columns = allocate(64, sizeof(int) * (size_t)capacity);
    new_values = allocate(64, sizeof(double) * (size_t)capacity);
    row_start = malloc(sizeof(long) * (size_t)(rows + 1));
    columns = malloc(sizeof(int) * (size_t)(rows * kPerRow + 1));
    values = malloc(sizeof(double) * (size_t)(rows * kPerRow + 1));
    if (!row_start || !columns || !values) give_up("no memory for the matrix");
    make_matrix();
    measure(samples);
    free(values);
    free(columns);
    free(row_start);
    shmem_barrier_all();
    shmem_free(new_values);
    shmem_free(new_columns);
    shmem_free(place);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    long size = option("--rows", 0);
    options_end("[--rows N]");
    if (size != 0 && size < kPerRow) give_up("--rows takes at least %d", kPerRow);
    int samples = by_level(1, 9, 15);
    if (size) {
        measure_matrix(size, samples);
    } else {
        measure_matrix(by_level(512, 16384, 16384), samples);
        if (level == FULL) measure_matrix(262144, samples);
    }
    end();
    return 0;
}
