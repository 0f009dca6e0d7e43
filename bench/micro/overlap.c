// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a transfer's time is left to the program while put_nbi or get_nbi is under way? The
// method of Sandia's SMB, as Zhou 2016 (7.2.2) uses it: operation, work, quiet; the work grows
// until the whole takes 1.5 times as long as without work. Then
//
//   overlap_put_overhead, overlap_get_overhead   time of the whole - time of the work alone
//   overlap_put_share, overlap_get_share         that overhead / the time without work, percent:
//                                                100 - what the paper calls availability
//
// From 4 KiB on: the processor's own overlap hides shorter transfers. PE 0
// measures towards the last PE, which waits in a barrier; both ends are verified. On one node a
// library without helpers copies with the caller's core: its share is 100.
#define _GNU_SOURCE
#include "bench/measure.h"

enum { kSamplesMax = 32 };

static char *remote, *local;
static int target;
static volatile unsigned long sink;

typedef void (*Operation)(size_t bytes);

static void put(size_t bytes) { shmem_putmem_nbi(remote, local, bytes, target); }
static void get(size_t bytes) { shmem_getmem_nbi(local, remote, bytes, target); }

static void work(long iterations) {
    unsigned long value = sink;
    for (long i = 0; i < iterations; ++i) {
        value = value * 1664525 + 1013904223;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
}

// Nanoseconds of operation, work and quiet; `operation` may be NULL.
static double time_of_loop(Operation operation, size_t bytes, long iterations, long repeats) {
    double start = now_ns();
    for (long i = 0; i < repeats; ++i) {
        if (operation) operation(bytes);
        work(iterations);
        if (operation) shmem_quiet();
    }
    return (now_ns() - start) / (double)repeats;
}

// Repeats for one sample of about `sample_ns`.
static long choose_repeats(Operation operation, size_t bytes, double sample_ns) {
    long repeats = 1;
    time_of_loop(operation, bytes, 0, 2);
    double taken = time_of_loop(operation, bytes, 0, 1);
    while (taken * (double)repeats < sample_ns / 2 && repeats < 100000) {
        repeats *= 4;
        taken = time_of_loop(operation, bytes, 0, repeats);
    }
    return (long)(sample_ns / taken) + 1;
}

struct overlap {
    double overhead_ns, share;
};

static struct overlap sample_of(Operation operation, size_t bytes, long repeats) {
    const double base_ns = time_of_loop(operation, bytes, 0, repeats);
    double all_ns = base_ns;
    long iterations = 8;
    while (all_ns <= 1.5 * base_ns) {
        iterations += iterations / 4 + 1;
        all_ns = time_of_loop(operation, bytes, iterations, repeats);
    }
    const double work_ns = time_of_loop(NULL, bytes, iterations, repeats);
    const double overhead_ns = all_ns - work_ns > 0 ? all_ns - work_ns : 0;
    return (struct overlap){overhead_ns, 100 * overhead_ns / base_ns};
}

static void fill(char* memory, size_t bytes, int seed) {
    for (size_t i = 0; i < bytes; ++i) memory[i] = (char)(i * 7 + i / 251 + (size_t)seed);
}

static void check(const char* what, const char* memory, size_t bytes, int seed) {
    for (size_t i = 0; i < bytes; ++i) {
        if (memory[i] == (char)(i * 7 + i / 251 + (size_t)seed)) continue;
        give_up("overlap: %s of %zu bytes: byte %zu: expected %d, found %d", what, bytes, i,
                (char)(i * 7 + i / 251 + (size_t)seed), memory[i]);
    }
}

static void measure(const char* name, Operation operation, size_t bytes) {
    static double overhead[kSamplesMax], share[kSamplesMax];
    char measure_name[64];
    const int samples = by_level(2, 9, 31), is_put = operation == put;
    memset(remote, 0, bytes);
    if (is_put) {
        fill(local, bytes, me + 1);
    } else {
        fill(remote, bytes, me + 1);
        memset(local, 0, bytes);
    }
    shmem_barrier_all();
    if (me == 0) {
        const long repeats = choose_repeats(operation, bytes, by_level(10, 200, 500) * 1e3);
        for (int i = -1; i < samples; ++i) {  // one to warm up
            struct overlap sample = sample_of(operation, bytes, repeats);
            overhead[i < 0 ? 0 : i] = sample.overhead_ns;
            share[i < 0 ? 0 : i] = sample.share;
        }
    }
    shmem_barrier_all();
    if (is_put && me == target) check("put_nbi", remote, bytes, 1);
    if (!is_put && me == 0) check("get_nbi", local, bytes, target + 1);
    shmem_barrier_all();
    snprintf(measure_name, sizeof measure_name, "overlap_%s_overhead", name);
    report(measure_name, "bytes", (double)bytes, "ns", 1, overhead, samples, 0);
    snprintf(measure_name, sizeof measure_name, "overlap_%s_share", name);
    report(measure_name, "bytes", (double)bytes, "percent", 1, share, samples, 0);
}

int main(int argc, char** argv) {
    static const size_t kSizes[] = {4096, 16384, 65536, 1 << 18, 1 << 20, 4 << 20};
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    const size_t bytes_max = level == TINY ? 65536 : 4 * MIB;
    target = npes - 1;
    remote = allocate(4096, bytes_max);
    local = (char*)aligned_alloc(4096, bytes_max + 4096) + 2048;  // see bench/apps/automaton.c
    for (size_t i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
        if (kSizes[i] > bytes_max) continue;
        measure("put", put, kSizes[i]);
        measure("get", get, kSizes[i]);
    }
    end();
    return 0;
}
