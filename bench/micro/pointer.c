// SPDX-License-Identifier: BSD-3-Clause
//
// What do loads and stores through shmem_ptr gain over get and put? Figures 3.5 to
// 3.7 of Ravichandrasekaran 2015: an array of int, copied by one call or by the loop of figure 3.4.
//
//   pointer_put, pointer_get            latency: PE 0 alone (figure 3.5)
//   pointer_store, pointer_load         the same by loops through shmem_ptr
//   ..._bandwidth                       all pairs at once (figures 3.6 and 3.7)
//
// Calls and loops work by turns on the same memory, so that each loop is its call's limit. All are
// verified. Where shmem_ptr gives NULL only the calls are measured.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64 };

static int *remote, *local, *mapped;  // symmetric; private; the partner's `remote`, or NULL

static void put(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) shmem_int_put(remote, local, bytes / sizeof(int), partner);
    shmem_quiet();
}
static void get(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) shmem_int_get(local, remote, bytes / sizeof(int), partner);
}
static void copy(int* to, const int* from, long repeats, size_t elements) {
    for (long i = 0; i < repeats; ++i) {
        for (size_t j = 0; j < elements; ++j) to[j] = from[j];
        __asm__ volatile("" ::: "memory");  // each copy counts
    }
}
static void store(long repeats, size_t bytes) { copy(mapped, local, repeats, bytes / sizeof(int)); }
static void load(long repeats, size_t bytes) { copy(local, mapped, repeats, bytes / sizeof(int)); }

struct row {
    const char* name;
    Body body;
    const char* loop_name;
    Body loop;
    int is_put;
};
static const struct row kRows[] = {{"pointer_put", put, "pointer_store", store, 1},
                                   {"pointer_get", get, "pointer_load", load, 0}};

// ---- Verification ----

static int pattern(int pe, size_t index, size_t bytes) {
    return (int)(index * 17 + bytes + (size_t)pe * 1000003);
}

// All origins copy once by `body`. Collective.
static void verify(const char* name, Body body, int is_put, size_t bytes) {
    int *source = is_put ? local : remote, *dest = is_put ? remote : local;
    for (size_t i = 0; i < bytes / sizeof(int); ++i) source[i] = pattern(me, i, bytes);
    memset(dest, 0xff, bytes);
    shmem_barrier_all();
    if (is_origin(me)) body(1, bytes);
    shmem_barrier_all();
    for (size_t i = 0; (is_put ? is_target(me) : is_origin(me)) && i < bytes / sizeof(int); ++i) {
        if (dest[i] == pattern(partner, i, bytes)) continue;
        give_up("%s of %zu bytes: element %zu: expected %d, found %d", name, bytes, i,
                pattern(partner, i, bytes), dest[i]);
    }
    shmem_barrier_all();
}

// ---- Measuring ----

static void report_both(const struct row* row, const char* ending, size_t bytes, const char* unit,
                        int lower_is_better, const double* ours, const double* loop, int samples) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", row->name, ending);
    report(name, "bytes", (double)bytes, unit, lower_is_better, ours, samples,
           mapped ? median(loop, samples) : 0);
    if (!mapped) return;
    snprintf(name, sizeof name, "%s%s", row->loop_name, ending);
    report(name, "bytes", (double)bytes, unit, lower_is_better, loop, samples, 0);
}

static void measure(const struct row* row, size_t bytes) {
    static double ours[kSamplesMax], loop[kSamplesMax];
    const int samples = bytes < MIB ? by_level(2, 7, 31) : by_level(2, 5, 11);
    const double sample_ns = by_level(10, 300, 1500) * 1e3;
    Body limit = mapped ? row->loop : NULL;
    verify(row->name, row->body, row->is_put, bytes);
    if (mapped) verify(row->loop_name, row->loop, row->is_put, bytes);
    alone_by_turns(row->body, limit, bytes, sample_ns, samples, ours, loop);
    report_both(row, "", bytes, "ns", 1, ours, loop, samples);
    const long repeats = repeats_of_pairs(row->body, bytes, sample_ns);
    pairs_by_turns(row->body, limit, repeats, bytes, ONE_WAY, samples, ours, loop);
    for (int i = 0; i < samples; ++i) {
        ours[i] = pairs * (double)bytes * 1e3 / ours[i];
        loop[i] = pairs * (double)bytes * 1e3 / loop[i];
    }
    report_both(row, "_bandwidth", bytes, "MB/s", 0, ours, loop, samples);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    find_pairs();
    const size_t bytes_max = level == TINY ? 4096 : 4 * MIB;
    remote = allocate(4096, bytes_max);
    local = aligned_alloc(4096, bytes_max + 4096);
    local += 2048 / sizeof(int);  // see bench/apps/automaton.c
    mapped = shmem_ptr(remote, partner);
    if (!have_pointers(mapped)) mapped = NULL;
    if (!mapped && me == 0) fprintf(stderr, "pointer: shmem_ptr gives NULL\n");
    for (size_t bytes = 8; bytes <= bytes_max; bytes *= level == FULL ? 4 : 8) {
        measure(&kRows[0], bytes);
        measure(&kRows[1], bytes);
    }
    end();
    return 0;
}
