// SPDX-License-Identifier: BSD-3-Clause
//
// In which state is the processor's clock? Times a fixed loop: 512 loads of 8 bytes from 4 KiB,
// which always lie in the L1 cache. bench/run calls it before and after each run. It times the loop
// on as many CPUs as the PEs of the run use, and the slowest one counts.
//     clock PES [KNOWN_NS]
// prints two times in ns: the fastest state within kPauses short pauses, and the first one seen. A
// clock that stays slow slows both. A busy hyperthread of the same core, perhaps another virtual
// machine's, comes and goes within some 100 ms and slows only the second one. The program ends
// early when all CPUs have been as fast as KNOWN_NS.
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kWords = 512, kLoops = 200, kSamples = 21 };  // 14 us a sample at 3.6 GHz
enum { kPauses = 60 };                               // each of 2 ms

static volatile uint64_t block[kWords] __attribute__((aligned(4096)));

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double sample(void) {
    double start = now_ns();
    for (int loop = 0; loop < kLoops; ++loop) {
#pragma GCC unroll 64
        for (int i = 0; i < kWords; ++i) (void)block[i];
    }
    return (now_ns() - start) / kLoops;
}

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median_on(int cpu) {
    double samples[kSamples];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < kSamples; ++i) samples[i] = sample();
    qsort(samples, kSamples, sizeof *samples, by_value);
    return samples[kSamples / 2];
}

// The first `wanted` CPUs that this process may use.
static int find_cpus(int wanted, int* cpus) {
    cpu_set_t usable;
    int count = 0;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && count < wanted; ++cpu) {
        if (CPU_ISSET((size_t)cpu, &usable)) cpus[count++] = cpu;
    }
    return count;
}

static double greatest(const double* values, int count) {
    double result = 0;
    for (int i = 0; i < count; ++i) result = values[i] > result ? values[i] : result;
    return result;
}

int main(int argc, char** argv) {
    static int cpus[CPU_SETSIZE];
    static double first[CPU_SETSIZE], fastest[CPU_SETSIZE];
    int count = find_cpus(argc > 1 ? atoi(argv[1]) : 1, cpus);
    double good = argc > 2 ? atof(argv[2]) * 1.02 : 0;
    for (int i = 0; i < count; ++i) {
        median_on(cpus[i]);  // An idle CPU's clock rises.
        first[i] = fastest[i] = median_on(cpus[i]);
    }
    for (int pause = 0; pause < kPauses && greatest(fastest, count) > good; ++pause) {
        const struct timespec two_ms = {0, 2000000};
        nanosleep(&two_ms, NULL);
        for (int i = 0; i < count; ++i) {
            if (fastest[i] <= good) continue;
            double now = median_on(cpus[i]);
            fastest[i] = now < fastest[i] ? now : fastest[i];
        }
    }
    printf("%.2f %.2f\n", greatest(fastest, count), greatest(first, count));
    return 0;
}
