// SPDX-License-Identifier: BSD-3-Clause
//
// Programs whose calls are known, for trace_test.py. The first argument is the case:
//   ring      each PE puts 1000 ints to the next one and gets 10 from the one before, ROUNDS times
//   late      PE SLOW comes late to each of 20 barriers
//   heap      allocations of known sizes
//   crash     PE 1 aborts after ten barriers
//   leave     all PEs return from main without shmem_finalize
//   many      more barriers and puts than a trace of 64 records holds
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, npes;
static int ring[1000], local[1000];
static long counter;

static void run_ring(int rounds) {
    int next = (me + 1) % npes, before = (me + npes - 1) % npes;
    long* sums = shmem_malloc(2 * sizeof(long));
    sums[0] = me;
    for (int i = 0; i < rounds; i++) {
        shmem_int_put(ring, local, 1000, next);
        shmem_int_get(local, ring, 10, before);
        shmem_long_atomic_add(&counter, 1, next);
        shmem_long_p(&sums[1], i, next);
        shmem_barrier_all();
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sums[1], &sums[0], 1);
    shmem_free(sums);
}

// Computes for about so long. No clock of the test depends on how exact that is.
static void compute_ms(long ms) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

static void run_late(int slow) {
    for (int i = 0; i < 20; i++) {
        if (me == slow) compute_ms(10);
        shmem_barrier_all();
    }
}

static void run_heap(void) {
    void* first = shmem_malloc(1000);
    void* second = shmem_calloc(10, 50);
    second = shmem_realloc(second, 2000);
    shmem_free(first);
    shmem_free(second);
}

static void run_many(int count) {
    for (int i = 0; i < count; i++) {
        shmem_int_put(ring, local, 1000, (me + 1) % npes);
        shmem_barrier_all();
    }
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    int number = argc > 2 ? atoi(argv[2]) : 0;
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (strcmp(name, "ring") == 0) run_ring(number);
    if (strcmp(name, "late") == 0) run_late(number);
    if (strcmp(name, "heap") == 0) run_heap();
    if (strcmp(name, "many") == 0) run_many(number);
    if (strcmp(name, "leave") == 0) {
        shmem_barrier_all();
        return 0;
    }
    if (strcmp(name, "crash") == 0) {
        for (int i = 0; i < 10; i++) shmem_barrier_all();
        if (me == 1) abort();
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
