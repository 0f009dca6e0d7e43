// SPDX-License-Identifier: BSD-3-Clause
//
// What does a sum of integers over all PEs take, from 1 to 2^20 of them? The measurement of figures
// 3.8 to 3.11 in papers/004, as plain OpenSHMEM 1.5 for any library's oshcc. Prints "reduce bytes
// ns": the median of some batches of calls, one after the other, on the clock of PE 0, which waits
// for all in each call. bench/run-algorithms runs it with each algorithm.
//   reduce [--quick] [STEP]   lengths are powers of 2^STEP (default 2)
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 9, BATCHES_MIN = 3, LOG_LENGTH_MAX = 20 };

static int *source, *dest;

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double batch_ns(size_t length, long calls) {
    shmem_barrier_all();
    double start = now_ns();
    for (long i = 0; i < calls; ++i) {
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, dest, source, length);
    }
    return (now_ns() - start) / (double)calls;
}

static void check(size_t length) {
    const int npes = shmem_n_pes();
    for (size_t i = 0; i < length; ++i) source[i] = shmem_my_pe() + (int)(i % 1000);
    shmem_barrier_all();
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, dest, source, length);
    for (size_t i = 0; i < length; ++i) {
        if (dest[i] == npes * (npes - 1) / 2 + npes * (int)(i % 1000)) continue;
        fprintf(stderr, "reduce: element %zu of %zu is wrong\n", i, length);
        shmem_global_exit(1);
    }
}

// A number that PE 0 has measured, for all.
static long agree(long value) {
    static long shared;
    if (shmem_my_pe() == 0) shared = value;
    shmem_barrier_all();
    long result = shmem_long_g(&shared, 0);
    shmem_barrier_all();
    return result;
}

int main(int argc, char** argv) {
    int step = 2;
    double budget_ns = 60e6;  // of a length
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0) {
            budget_ns = 10e6;
        } else {
            step = atoi(argv[i]);
        }
    }
    if (step < 1) step = 1;
    shmem_init();
    source = shmem_align(4096, sizeof(int) << LOG_LENGTH_MAX);
    dest = shmem_align(4096, sizeof(int) << LOG_LENGTH_MAX);
    if (!source || !dest) shmem_global_exit(1);
    for (int log = 0; log <= LOG_LENGTH_MAX; log += step) {
        const size_t length = (size_t)1 << log;
        check(length);
        const double once_ns = batch_ns(length, 3);
        const long calls = agree((long)(budget_ns / BATCHES / once_ns) + 1);
        const int batches = once_ns * BATCHES > budget_ns ? BATCHES_MIN : BATCHES;
        const int agreed = (int)agree(batches);
        double times[BATCHES];
        for (int i = 0; i < agreed; ++i) times[i] = batch_ns(length, calls);
        qsort(times, (size_t)agreed, sizeof *times, by_value);
        if (shmem_my_pe() == 0) {
            printf("reduce %zu %.1f\n", length * sizeof(int), times[agreed / 2]);
            fflush(stdout);
        }
    }
    shmem_finalize();
    return 0;
}
