// SPDX-License-Identifier: BSD-3-Clause
//
// What do copies of sections of arrays take? PE 0 on its partner's memory, doubles; the local side
// has the same shape. Nanoseconds for one section, delivered:
//
//   sections_all_strided       n x n elements, every second one of every second row
//   sections_matrix            n whole rows of n elements, every second row
//   sections_face_x, _y, _z    the faces of a cube of 128 x 128 x 64
//   sections_transpose         n x n elements, rows to columns
//
// behind each of these: _put, _get in one call of shmemx_put_strided and shmemx_get_strided, where
// the library has them; _iput, _iget by a loop of shmem_iput and shmem_iget over the rows, the
// algorithm of Ravichandrasekaran 2015, 4.4; _putmem, _getmem by one call for each contiguous run,
// the naive algorithm there. With sections_contiguous, n x n elements in one putmem, these are the
// put bandwidth tests of its figures 5.1 and 5.2.
//
// The limit, by turns on the same memory, is a plain nested loop through shmem_ptr. The program
// verifies all elements. --no-naive leaves out the loops of single elements, which take long
// between nodes.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/newer.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64, kElements = 1 << 20, kX = 128, kY = 128, kZ = 64 };

static double *remote, *local, *mapped;  // symmetric; private; the partner's `remote`, or NULL
static double *expected, *seen;
static int has_naive;

static inline void use_memory(void) { __asm__ volatile("" ::: "memory"); }  // each copy counts

// rows x columns elements; strides in elements.
struct section {
    const char* name;
    size_t rows, columns;
    ptrdiff_t remote_row, remote_column, local_row, local_column;
};
static struct section section;

// ---- One call ----

static void in_one_call(double* dest, const double* source, int is_put) {
    const struct section s = section;
    const size_t extents[] = {s.rows, s.columns};
    const ptrdiff_t there[] = {s.remote_row * 8, s.remote_column * 8};
    const ptrdiff_t here[] = {s.local_row * 8, s.local_column * 8};
    if (is_put) {
        put_section(dest, there, source, here, extents, partner);
    } else {
        get_section(dest, here, source, there, extents, partner);
    }
}
static void put(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        in_one_call(remote, local, 1);
        shmem_quiet();
    }
}
static void get(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) in_one_call(local, remote, 0);
}

// ---- Loops of calls, for each row ----

static void iput(long repeats, size_t bytes) {
    const struct section s = section;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        for (ptrdiff_t row = 0; row < (ptrdiff_t)s.rows; ++row) {
            shmem_double_iput(remote + row * s.remote_row, local + row * s.local_row,
                              s.remote_column, s.local_column, s.columns, partner);
        }
        shmem_quiet();
    }
}
static void iget(long repeats, size_t bytes) {
    const struct section s = section;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        for (ptrdiff_t row = 0; row < (ptrdiff_t)s.rows; ++row) {
            shmem_double_iget(local + row * s.local_row, remote + row * s.remote_row,
                              s.local_column, s.remote_column, s.columns, partner);
        }
    }
}

// ---- Loops of calls, for each run ----

static int has_runs(void) { return section.remote_column == 1 && section.local_column == 1; }

static void putmem(long repeats, size_t bytes) {
    const struct section s = section;
    const size_t run = has_runs() ? s.columns : 1, runs = s.columns / run;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        for (ptrdiff_t row = 0; row < (ptrdiff_t)s.rows; ++row) {
            for (ptrdiff_t at = 0; at < (ptrdiff_t)runs; ++at) {
                shmem_putmem(remote + row * s.remote_row + at * s.remote_column,
                             local + row * s.local_row + at * s.local_column, run * 8, partner);
            }
        }
        shmem_quiet();
    }
}
static void getmem(long repeats, size_t bytes) {
    const struct section s = section;
    const size_t run = has_runs() ? s.columns : 1, runs = s.columns / run;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        for (ptrdiff_t row = 0; row < (ptrdiff_t)s.rows; ++row) {
            for (ptrdiff_t at = 0; at < (ptrdiff_t)runs; ++at) {
                shmem_getmem(local + row * s.local_row + at * s.local_column,
                             remote + row * s.remote_row + at * s.remote_column, run * 8, partner);
            }
        }
    }
}

// ---- Plain loops ----

static void copy(double* to, const double* from, int is_put) {
    const struct section s = section;
    const ptrdiff_t to_row = is_put ? s.remote_row : s.local_row;
    const ptrdiff_t to_column = is_put ? s.remote_column : s.local_column;
    const ptrdiff_t from_row = is_put ? s.local_row : s.remote_row;
    const ptrdiff_t from_column = is_put ? s.local_column : s.remote_column;
    if (has_runs()) {
        for (size_t row = 0; row < s.rows; ++row, to += to_row, from += from_row)
            memcpy(to, from, s.columns * 8);
        return;
    }
    for (size_t row = 0; row < s.rows; ++row, to += to_row, from += from_row) {
        for (ptrdiff_t column = 0; column < (ptrdiff_t)s.columns; ++column)
            to[column * to_column] = from[column * from_column];
    }
}
// The same with the strides that the compiler knows.
static void copy_second_elements(double* restrict to, const double* restrict from) {
    const size_t n = section.columns;
    for (size_t row = 0; row < n; ++row) {
        for (size_t column = 0; column < n; ++column)
            to[4 * n * row + 2 * column] = from[4 * n * row + 2 * column];
    }
}
static void copy_face_z(double* restrict to, const double* restrict from) {
    for (size_t x = 0; x < kX; ++x) {
        for (size_t y = 0; y < kY; ++y) to[(x * kY + y) * kZ] = from[(x * kY + y) * kZ];
    }
}
static void put_limit(long repeats, size_t bytes) {
    const int is_all = strcmp(section.name, "all_strided") == 0;
    const int is_z = strcmp(section.name, "face_z") == 0;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        if (is_all) {
            copy_second_elements(mapped, local);
        } else if (is_z) {
            copy_face_z(mapped, local);
        } else {
            copy(mapped, local, 1);
        }
        use_memory();
    }
}
static void get_limit(long repeats, size_t bytes) {
    const int is_all = strcmp(section.name, "all_strided") == 0;
    const int is_z = strcmp(section.name, "face_z") == 0;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        if (is_all) {
            copy_second_elements(local, mapped);
        } else if (is_z) {
            copy_face_z(local, mapped);
        } else {
            copy(local, mapped, 0);
        }
        use_memory();
    }
}

struct way {
    const char* name;
    Body body;
    int is_put;
};
static const struct way kWays[] = {{"put", put, 1},   {"get", get, 0},       {"iput", iput, 1},
                                   {"iget", iget, 0}, {"putmem", putmem, 1}, {"getmem", getmem, 0}};
enum { kWayCount = sizeof kWays / sizeof *kWays };

// ---- Verification ----

static void verify(const struct way* way) {
    shmem_barrier_all();
    if (me == 0) {
        for (size_t i = 0; i < kElements; ++i) {
            local[i] = (double)i;
            expected[i] = -(double)i;
        }
        shmem_putmem(remote, expected, sizeof *remote * kElements, partner);
        shmem_quiet();
        if (way->is_put) {
            copy(expected, local, 1);
        } else {
            memcpy(seen, expected, sizeof *seen * kElements);
            memcpy(expected, local, sizeof *local * kElements);
            copy(expected, seen, 0);
        }
        way->body(1, 0);
        memcpy(seen, local, sizeof *seen * kElements);
        if (way->is_put) shmem_getmem(seen, remote, sizeof *seen * kElements, partner);
        for (size_t i = 0; i < kElements; ++i) {
            if (seen[i] == expected[i]) continue;
            give_up("%s of %s, %zu x %zu: element %zu: expected %g, found %g", way->name,
                    section.name, section.rows, section.columns, i, expected[i], seen[i]);
        }
    }
    shmem_barrier_all();
}

// ---- Measuring ----

static void measure(const struct way* way, size_t x) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(2, 9, 31);
    const Body limit_body = way->is_put ? put_limit : get_limit;
    char name[64];
    verify(way);
    const double limit = alone_by_turns(way->body, mapped ? limit_body : NULL, 0,
                                        by_level(10, 300, 1000) * 1e3, samples, ours_ns, limit_ns);
    snprintf(name, sizeof name, "sections_%s_%s", section.name, way->name);
    report(name, "n", (double)x, "ns", 1, ours_ns, samples, limit);
}

static void measure_all(struct section what, size_t x) {
    section = what;
    const int end = has_naive ? kWayCount : kWayCount - 2;
    for (int i = has_sections() ? 0 : 2; i < end; ++i) measure(&kWays[i], x);
}

static void measure_contiguous(size_t n) {
    static const struct way kContiguous = {"put", putmem, 1};
    section = (struct section){"contiguous", 1, n * n, 0, 1, 0, 1};
    measure(&kContiguous, n);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    has_naive = !has_option("--no-naive");
    options_end("[--no-naive]");
    find_pairs();
    remote = allocate(4096, sizeof *remote * kElements);
    local = aligned_alloc(4096, sizeof *local * kElements);
    expected = aligned_alloc(4096, sizeof *expected * kElements);
    seen = aligned_alloc(4096, sizeof *seen * kElements);
    mapped = shmem_ptr(remote, partner);
    const size_t most = level == TINY ? 16 : mapped ? 256 : 64;
    for (size_t n = 4; n <= most; n *= level == FULL ? 2 : 4) {
        const ptrdiff_t row = 4 * (ptrdiff_t)n, dense = (ptrdiff_t)n;
        measure_contiguous(n);
        measure_all((struct section){"all_strided", n, n, row, 2, row, 2}, n);
        measure_all((struct section){"matrix", n, n, row / 2, 1, row / 2, 1}, n);
        measure_all((struct section){"transpose", n, n, dense, 1, 1, dense}, n);
    }
    if (level != TINY) {
        measure_all((struct section){"face_x", 1, kY * kZ, 0, 1, 0, 1}, kX);
        measure_all((struct section){"face_y", kX, kZ, kY * kZ, 1, kY * kZ, 1}, kX);
        measure_all((struct section){"face_z", kX, kY, kY * kZ, kZ, kY * kZ, kZ}, kX);
    }
    end();
    return 0;
}
