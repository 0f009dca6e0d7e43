// SPDX-License-Identifier: BSD-3-Clause
//
// What does a long nonblocking transfer to another node cost a program that computes three times
// as long as the transfer takes alone? docs/measurements/between-nodes.md has results for all
// values of SHMEM_PROGRESS. bench/micro/overlap.c stops at half of the transfer's time, when a
// thread or helper that shares its core with the other PE cannot have done it.
//
//     oshrun -n 2 --virtual-nodes 2 -x SHMEM_PROGRESS='helpers!' -x SHMEM_HELPER_SIZE=4K deferred
//
// --private: the own side is not symmetric. --tiny: whether it runs.
// PE 0 measures towards the last PE, which waits in a barrier. Medians, microseconds.
#include <shmem.h>

#include "bench/reports.h"

enum { kSamples = 101, kSamplesTiny = 3, kBytesMax = 4 << 20, kBytesTiny = 64 << 10 };

static char *near, *far;  // far is symmetric
static int target;
static int samples = kSamples;

// One copy in all places, which takes the same time.
__attribute__((noinline)) static void work(long iterations) {
    static volatile unsigned long sink;
    unsigned long value = sink;
    for (long i = 0; i < iterations; ++i) {
        value = value * 1664525 + 1013904223;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
}

// One transfer with work between its start and its completion.
static double transfer(int is_get, size_t bytes, long iterations) {
    const double start = now_us();
    if (is_get) {
        shmem_getmem_nbi(near, far, bytes, target);
    } else {
        shmem_putmem_nbi(far, near, bytes, target);
    }
    work(iterations);
    shmem_quiet();
    return now_us() - start;
}

static double time_work(long iterations) {
    const double start = now_us();
    work(iterations);
    return now_us() - start;
}

// A core's speed may change from one sample to the next, so each sample is of times that follow
// each other. Work comes before each transfer: it gives other programs time to use the caches.
static void measure(int is_get, size_t bytes) {
    static double alone[kSamples], worked[kSamples], overhead[kSamples], share[kSamples];
    for (int i = 0; i < samples; ++i) alone[i] = transfer(is_get, bytes, 0);
    long iterations = 1000;
    for (int i = 0; i < samples; ++i) worked[i] = time_work(iterations);
    iterations = (long)(3 * median(alone, samples) / median(worked, samples) * (double)iterations);
    for (int i = 0; i < samples; ++i) {
        worked[i] = time_work(iterations) / 2;
        alone[i] = transfer(is_get, bytes, 0);
        worked[i] += time_work(iterations) / 2;
        overhead[i] = transfer(is_get, bytes, iterations) - worked[i];
        share[i] = 100 * overhead[i] / alone[i];
    }
    printf("%s %8zu alone %8.1f overhead %8.1f share %6.1f %%\n", is_get ? "get" : "put", bytes,
           median(alone, samples), median(overhead, samples), median(share, samples));
}

int main(int argc, char** argv) {
    size_t largest = kBytesMax;
    read_level(argc, argv);
    if (level == TINY) {
        samples = kSamplesTiny;
        largest = kBytesTiny;
    }
    const int is_private = argc > 1 && strcmp(argv[argc - 1], "--private") == 0;
    shmem_init();
    target = shmem_n_pes() - 1;
    near = is_private ? malloc(kBytesMax) : shmem_malloc(kBytesMax);
    far = shmem_malloc(kBytesMax);
    if (near == NULL || far == NULL) shmem_global_exit(1);
    memset(near, 1, kBytesMax);
    memset(far, 1, kBytesMax);
    shmem_barrier_all();
    for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
        for (int is_get = 0; is_get < 2; ++is_get) {
            if (shmem_my_pe() == 0) measure(is_get, bytes);
            shmem_barrier_all();
        }
    }
    shmem_finalize();
    return 0;
}
