// SPDX-License-Identifier: BSD-3-Clause
//
// How close are operations between nodes to the limits of the network's provider? A program in
// plain OpenSHMEM 1.5, for any library's oshcc, run with 2 PEs on different nodes: PE 0 measures,
// PE 1 is the target. Prints a line "row value" for each row: times in ns per operation, rates in
// operations or bytes per second. bench/run-offnode runs it by turns with bench/raw_fabric.c, which
// prints the same rows for the bare provider.
//
// The target either stays in calls of the library (shmem_test), or (--passive) sleeps in a system
// call outside of the library.
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    kLatencyBatches = 40,
    kLatencyRepeats = 100,
    kRateBatches = 7,
    kRateRepeats = 20000,
    kBlocks = 16,  // of 1 MiB
    kBlockRepeats = 64,
    kRow = 1000,  // elements of a strided put
    kStride = 2,
};
#define MIB ((size_t)1 << 20)

static int is_passive, is_quick;
static char* block;  // symmetric, kBlocks MiB
static char* local;  // the same in private memory
static long* word;   // symmetric, in a cache line of its own
static long* stop;   // symmetric

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// ns per repeat: the median of the batches.
static double median_ns(void (*body)(long), int batches, long repeats) {
    double values[kLatencyBatches];
    if (is_quick) repeats = repeats / 20 + 1;
    body(repeats / 10 + 1);
    for (int i = 0; i < batches; ++i) {
        double start = now_ns();
        body(repeats);
        values[i] = (now_ns() - start) / (double)repeats;
    }
    qsort(values, (size_t)batches, sizeof *values, by_value);
    return values[batches / 2];
}

static void print_latency(const char* row, void (*body)(long)) {
    printf("%s %.1f\n", row, median_ns(body, kLatencyBatches, kLatencyRepeats));
}

// `amount` per repeat.
static void print_rate(const char* row, void (*body)(long), long repeats, double amount) {
    printf("%s %.0f\n", row, amount * 1e9 / median_ns(body, kRateBatches, repeats));
}

// ---- Operations ----

static void put_8(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        shmem_long_p(word, i, 1);
        shmem_quiet();
    }
}

static long sum;  // keeps results alive

static void get_8(long repeats) {
    for (long i = 0; i < repeats; ++i) sum += shmem_long_g(word, 1);
}

static void fetch_add(long repeats) {
    for (long i = 0; i < repeats; ++i) sum += shmem_long_atomic_fetch_add(word, 1, 1);
}

static void put_8_stream(long repeats) {
    for (long i = 0; i < repeats; ++i) shmem_long_p(word, i, 1);
    shmem_quiet();
}

static void atomic_stream(long repeats) {
    for (long i = 0; i < repeats; ++i) shmem_long_atomic_add(word, 1, 1);
    shmem_quiet();
}

static void put_strided(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        shmem_long_iput((long*)(void*)block, (long*)(void*)local, kStride, kStride, kRow, 1);
    }
    shmem_quiet();
}

static void put_block(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        size_t at = (size_t)(i % kBlocks) * MIB;
        shmem_putmem_nbi(block + at, local + at, MIB, 1);
    }
    shmem_quiet();
}

static void get_block(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        size_t at = (size_t)(i % kBlocks) * MIB;
        shmem_getmem_nbi(local + at, block + at, MIB, 1);
    }
    shmem_quiet();
}

static void measure(void) {
    get_8(1);  // connects
    print_latency("put_8", put_8);
    print_latency("get_8", get_8);
    print_latency("fetch_add", fetch_add);
    print_rate("put_8_rate", put_8_stream, kRateRepeats, 1);
    print_rate("add_rate", atomic_stream, 10L * kRateRepeats, 1);
    print_rate("strided_rate", put_strided, kRateRepeats / kRow, kRow);
    print_rate("put_1m", put_block, kBlockRepeats, (double)MIB);
    print_rate("get_1m", get_block, kBlockRepeats, (double)MIB);
}

// The target's part.
static void serve(void) {
    while (is_passive && *(volatile long*)stop == 0) usleep(2000);
    while (!shmem_long_test(stop, SHMEM_CMP_NE, 0)) continue;
}

// Where the launcher has left both PEs the same cores, as raw_fabric does.
static void pin(int which) {
    cpu_set_t usable, one;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < 2) return;
    for (int cpu = 0, skip = which; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &usable) || skip-- > 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--passive") == 0) is_passive = 1;
        if (strcmp(argv[i], "--quick") == 0) is_quick = 1;
    }
    shmem_init();
    int me = shmem_my_pe();
    if (shmem_n_pes() != 2) {
        if (me == 0) fprintf(stderr, "offnode: run it with 2 PEs\n");
        shmem_global_exit(2);
    }
    block = shmem_align(4096, kBlocks * MIB);
    word = shmem_align(64, 64);
    stop = shmem_align(64, 64);
    local = aligned_alloc(4096, kBlocks * MIB);
    if (!block || !word || !stop || !local) {
        fprintf(stderr, "offnode: no memory: it needs %zu MiB of symmetric heap\n",
                (size_t)kBlocks + 1);
        shmem_global_exit(1);
    }
    if (shmem_ptr(word, 1 - me)) {
        if (me == 0) fprintf(stderr, "offnode: both PEs are on one node\n");
        shmem_global_exit(2);
    }
    pin(me);
    memset(block, 1, kBlocks * MIB);
    memset(local, 2, kBlocks * MIB);
    *word = 0;
    *stop = 0;
    shmem_barrier_all();
    if (me == 0) {
        measure();
        shmem_long_p(stop, 1, 1);
    } else {
        serve();
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
