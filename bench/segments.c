// SPDX-License-Identifier: BSD-3-Clause
//
// What do operations on registered memory cost, next to those on the symmetric heap, and what does
// a registration? Run with 2 PEs, on a node or on two, and without replaced pages:
//
//   oshrun -n 2 bench_segments;  oshrun -n 2 --virtual-nodes 2 bench_segments
//   SHMEM_SEGMENT_PAGES=0 oshrun -n 2 bench_segments
//
// PE 0 times each operation on the heap, on a block of malloc, and on a part of less than 16 KiB,
// which the kernel copies, by turns, and prints medians in nanoseconds; PE 1 waits in a barrier.
// Registrations are collective; a row is one with its deregistration, in microseconds.
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/reports.h"

enum { kSamples = 41, kMost = 1 << 20, kSmall = 8192 };

static char* dest;  // dest of the operation that is timed
static char* local;
static size_t bytes;
static long fetched;

static void put(void) { shmem_putmem(dest, local, bytes, 1); }
static void get(void) { shmem_getmem(local, dest, bytes, 1); }
static void fetch_add(void) { fetched = shmem_long_atomic_fetch_add((long*)dest, 1, 1); }
static void pointer(void) { fetched = shmem_ptr(dest, 1) != NULL; }

// A sample lasts some 50 us.
static int calls_of(void (*operation)(void)) {
    int calls = 1;
    for (;; calls *= 2) {
        const double start = now_ns();
        for (int i = 0; i < calls; ++i) operation();
        if (now_ns() - start > 50e3) return calls;
    }
}

// The medians of the operation on the places.
static void time_at(void (*operation)(void), char* const* places, int count, double* medians) {
    double samples[3][kSamples];
    int calls[3] = {0};
    for (int place = 0; place < count; ++place) {
        dest = places[place];
        calls[place] = calls_of(operation);
    }
    for (int i = 0; i < kSamples; ++i) {
        for (int place = 0; place < count; ++place) {
            dest = places[place];
            const double start = now_ns();
            for (int call = 0; call < calls[place]; ++call) operation();
            samples[place][i] = (now_ns() - start) / calls[place];
        }
    }
    for (int place = 0; place < count; ++place) {
        qsort(samples[place], kSamples, sizeof(double), by_value);
        medians[place] = samples[place][kSamples / 2];
    }
}

static void print_row(const char* name, void (*operation)(void), char* const* places) {
    const int count = bytes > kSmall ? 2 : 3;
    double ns[3] = {0};
    time_at(operation, places, count, ns);
    printf("%-10s %8zu %10.1f %10.1f %6.2f", name, bytes, ns[0], ns[1], ns[1] / ns[0]);
    if (count == 3) printf(" %10.1f %7.2f", ns[2], ns[2] / ns[0]);
    printf("\n");
}

static void print_operations(char* const* places) {
    printf("%-10s %8s %10s %10s %6s %10s %7s\n", "operation", "bytes", "heap ns", "segment",
           "ratio", "copied", "ratio");
    const size_t sizes[] = {8, 64, 1024, 8192, 65536, kMost};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        bytes = sizes[i];
        print_row("put", put, places);
        print_row("get", get, places);
    }
    bytes = 8;
    print_row("fetch_add", fetch_add, places);
    print_row("shmem_ptr", pointer, places);
}

static void* name_of(void* memory, size_t size, shmemx_segment_t* segment) {
    if (shmemx_register(SHMEM_TEAM_WORLD, memory, size, segment) != 0) shmem_global_exit(1);
    return shmemx_gptr_addr(shmemx_segment_gptr(*segment, 1));
}

static void time_registrations(void) {
    if (shmem_my_pe() == 0) printf("\n%-10s %10s %12s\n", "register", "KiB", "us");
    for (size_t size = 4096; size <= (size_t)64 << 20; size *= 4) {
        double samples[kSamples];
        char* memory = malloc(size);
        memset(memory, 1, size);
        for (int i = 0; i < kSamples; ++i) {
            shmemx_segment_t segment;
            shmem_barrier_all();
            const double start = now_ns();
            name_of(memory, size, &segment);
            shmemx_deregister(segment);
            samples[i] = (now_ns() - start) / 1e3;
        }
        qsort(samples, kSamples, sizeof(double), by_value);
        if (shmem_my_pe() == 0)
            printf("%10s %10zu %12.1f\n", "", size / 1024, samples[kSamples / 2]);
        free(memory);
    }
}

int main(void) {
    shmem_init();
    char* heap = shmem_malloc(kMost + 4096);
    char* block = malloc(kMost);
    char* small = malloc(kSmall + 4096);
    local = malloc(kMost);
    memset(heap, 0, kMost);
    memset(block, 0, kMost);
    memset(small, 0, kSmall);
    memset(local, 0, kMost);
    shmemx_segment_t segments[2];
    char* places[] = {heap, name_of(block, kMost, &segments[0]),
                      name_of(small, kSmall, &segments[1])};
    if (shmem_my_pe() == 0) print_operations(places);
    shmem_barrier_all();
    shmemx_deregister(segments[0]);
    shmemx_deregister(segments[1]);
    time_registrations();
    shmem_finalize();
    return 0;
}
