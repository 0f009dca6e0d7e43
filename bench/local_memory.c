// SPDX-License-Identifier: BSD-3-Clause
//
// What does a block of local memory take (shmemx_local_malloc and shmemx_local_free), next to
// malloc and free of the C library in the same run? One PE; rows by
// pattern, size and number of threads:
//
//   pair    a block, and its free, again and again
//   batch   1000 blocks, then all are freed in the same order
//   random  a random one of 1000 blocks is freed and allocated again
//
// Nanoseconds for an allocation and its free, the median of the rounds, in which the two take
// turns, and their ratio; the aim is 1.5. Each block's first word is written, and
// compared at its free.
//
//     oshcc -O2 -I. bench/local_memory.c -o local_memory -pthread && oshrun -n 1 ./local_memory
#define _GNU_SOURCE
#include <pthread.h>
#include <shmemx.h>

#include "bench/reports.h"

enum { kBlocks = 1000, kRounds = 11, kThreadsMax = 4 };
enum pattern { PAIR, BATCH, RANDOM };
static const char* const names[] = {"pair", "batch", "random"};

struct allocator {
    void* (*allocate)(size_t bytes);
    void (*release)(void* block);
};
static const struct allocator allocators[2] = {{shmemx_local_malloc, shmemx_local_free},
                                               {malloc, free}};

struct work {
    const struct allocator* allocator;
    enum pattern pattern;
    size_t bytes;  // 0: random sizes up to 1 KiB
    long count;
    double ns;
};

static pthread_barrier_t start_line;

static unsigned next_random(unsigned* state) {
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static void* take(const struct work* work, unsigned* state) {
    const size_t bytes = work->bytes != 0 ? work->bytes : next_random(state) % 1024 + 8;
    void* block = work->allocator->allocate(bytes);
    if (block == NULL) abort();
    *(void* volatile*)block = block;
    return block;
}
static void give(const struct work* work, void* block) {
    if (*(void* volatile*)block != block) abort();
    work->allocator->release(block);
}

static void* run(void* argument) {
    struct work* work = argument;
    void* blocks[kBlocks];
    unsigned state = 1;
    pthread_barrier_wait(&start_line);
    const double begin = now_ns();
    if (work->pattern == PAIR) {
        for (long i = 0; i < work->count; ++i) give(work, take(work, &state));
    } else if (work->pattern == BATCH) {
        for (long i = 0; i < work->count; i += kBlocks) {
            for (int j = 0; j < kBlocks; ++j) blocks[j] = take(work, &state);
            for (int j = 0; j < kBlocks; ++j) give(work, blocks[j]);
        }
    } else {
        for (int j = 0; j < kBlocks; ++j) blocks[j] = take(work, &state);
        for (long i = 0; i < work->count; ++i) {
            const unsigned j = next_random(&state) % kBlocks;
            give(work, blocks[j]);
            blocks[j] = take(work, &state);
        }
        for (int j = 0; j < kBlocks; ++j) give(work, blocks[j]);
    }
    work->ns = (now_ns() - begin) / (double)work->count;
    return NULL;
}

static double time_of(struct work work, int threads) {
    pthread_t handles[kThreadsMax];
    struct work works[kThreadsMax];
    double ns = 0;
    pthread_barrier_init(&start_line, NULL, (unsigned)threads);
    for (int i = 0; i < threads; ++i) {
        works[i] = work;
        if (i + 1 < threads) pthread_create(&handles[i], NULL, run, &works[i]);
    }
    run(&works[threads - 1]);
    for (int i = 0; i + 1 < threads; ++i) pthread_join(handles[i], NULL);
    for (int i = 0; i < threads; ++i) ns += works[i].ns / threads;
    pthread_barrier_destroy(&start_line);
    return ns;
}

static void row(enum pattern pattern, size_t bytes, int threads, long count) {
    double times[2][kRounds];
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < 2; ++i) {
            struct work work = {&allocators[i], pattern, bytes, count, 0};
            times[i][round] = time_of(work, threads);
        }
    }
    for (int i = 0; i < 2; ++i) qsort(times[i], kRounds, sizeof(double), by_value);
    const double ours = times[0][kRounds / 2];
    const double theirs = times[1][kRounds / 2];
    char size[16];
    snprintf(size, sizeof size, bytes != 0 ? "%zu" : "8-1031", bytes);
    printf("%-7s %8s %8d %9.1f %9.1f %7.2f\n", names[pattern], size, threads, ours, theirs,
           ours / theirs);
    fflush(stdout);
}

int main(int argc, char** argv) {
    int provided = 0;
    // The tests only see that it runs.
    const long count = argc > 1 && strcmp(argv[1], "--tiny") == 0 ? 2000 : 60000;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    printf("%-7s %8s %8s %9s %9s %7s   aim 1.5\n", "pattern", "bytes", "threads", "ours ns",
           "libc ns", "ratio");
    static const size_t sizes[] = {16, 64, 256, 1024, 16384, 65536};
    for (int threads = 1; threads <= 2; ++threads) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            row(PAIR, sizes[i], threads, count);
            if (sizes[i] <= 1024) row(BATCH, sizes[i], threads, count);
        }
        row(PAIR, 0, threads, count);
        row(BATCH, 0, threads, count);
        row(RANDOM, 0, threads, count);
    }
    shmem_finalize();
    return 0;
}
