// SPDX-License-Identifier: BSD-3-Clause
//
// What does a request cost, and what an accumulate? Run with 2 PEs, on a node or on two:
//
//   oshrun -n 2 requests;  oshrun -n 2 --virtual-nodes 2 requests
//
// PE 0 times each row and what it is compared with by turns, and prints medians, in nanoseconds a
// call; PE 1 waits in a barrier. Aims: put_req <= 1.1 x put; an accumulate of 1 MiB of doubles
// takes <= 1.25 x a local loop y[i] += x[i] (0.8 of its speed). No instructions that exclude the
// atomics of the specification reach that: the row "bare atomics" is a loop of them that adds
// nothing, so the aim is 1.25 x that loop.
#define _GNU_SOURCE
#include <shmemx.h>
#include <stdint.h>

#include "bench/reports.h"

enum { kSamples = 41, kMost = 1 << 20 };

static char* dest;    // symmetric
static char* source;  // local
static char* mine;    // local, of the loop
static void* mapped;  // PE 1's dest; NULL on another node
static size_t bytes;
static shmemx_req_t req;
static long fetched;

static void put(void) { shmem_putmem(dest, source, bytes, 1); }
static void put_req(void) { shmemx_putmem_req(dest, source, bytes, 1, &req); }
static void put_and_quiet(void) {
    shmem_putmem_nbi(dest, source, bytes, 1);
    shmem_quiet();
}
static void put_req_local(void) {
    shmemx_putmem_req(dest, source, bytes, 1, &req);
    shmemx_req_wait(&req, SHMEMX_LOCAL);
}
static void put_req_remote(void) {
    shmemx_putmem_req(dest, source, bytes, 1, &req);
    shmemx_req_wait(&req, SHMEMX_REMOTE);
}
static void get(void) { shmem_getmem(source, dest, bytes, 1); }
static void get_req(void) {
    shmemx_getmem_req(source, dest, bytes, 1, &req);
    shmemx_req_wait(&req, SHMEMX_LOCAL);
}
static void fetch_add(void) { fetched = shmem_long_atomic_fetch_add((long*)dest, 1, 1); }
static void fetch_add_req(void) {
    shmemx_long_atomic_fetch_add_req(&fetched, (long*)dest, 1, 1, &req);
    shmemx_req_wait(&req, SHMEMX_LOCAL);
}
static void loop(void) {
    double* y = (double*)mine;
    const double* x = (const double*)source;
    for (size_t i = 0; i < bytes / sizeof *x; ++i) y[i] += x[i];
    __asm__ volatile("" ::"r"(y) : "memory");
}
struct two_words {
    uint64_t low, high;
};
// The lower limit of any accumulate that excludes other atomics: writes what is there, as many
// bytes at a time as the processor's widest compare-and-swap takes.
static void bare_atomics(void) {
    uint64_t* words = mapped;
    for (size_t i = 0; i < bytes / sizeof *words; i += 2) {
#if defined(__x86_64__)
        uint64_t low = words[i], high = words[i + 1];
        __asm__ volatile("lock cmpxchg16b %0"
                         : "+m"(*(struct two_words*)(words + i)), "+a"(low), "+d"(high)
                         : "b"(low), "c"(high)
                         : "cc", "memory");
#else
        for (size_t k = i; k < i + 2; ++k) {
            uint64_t seen = words[k];
            __atomic_compare_exchange_n(words + k, &seen, seen, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
        }
#endif
    }
}
static void accumulate(void) {
    shmemx_accumulate(dest, source, bytes / sizeof(double), SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM, 1);
    shmem_quiet();
}
// As runtimes do without accumulate, where no other PE may change the elements.
static void get_add_put(void) {
    shmem_getmem(mine, dest, bytes, 1);
    loop();
    shmem_putmem(dest, mine, bytes, 1);
    shmem_quiet();
}
static void atomic_adds(void) {
    for (size_t i = 0; i < bytes / sizeof(long); ++i) shmem_long_atomic_add((long*)dest + i, 1, 1);
    shmem_quiet();
}

// Without completion: a batch of each ends outside of the clock.
static double sample(void (*call)(void), long calls) {
    const double start = now_ns();
    for (long i = 0; i < calls; ++i) call();
    const double time = (now_ns() - start) / (double)calls;
    if (req != SHMEMX_REQ_COMPLETE) shmemx_req_wait(&req, SHMEMX_REMOTE);
    shmem_quiet();
    return time;
}
static void row(const char* name, void (*ours)(void), const char* other_name, void (*other)(void)) {
    static double times[2][kSamples];
    long calls = 1;
    while (sample(other, calls) * (double)calls < 2e5 && calls < 100000) calls *= 2;
    for (int i = 0; i < kSamples; ++i) {
        times[0][i] = sample(ours, calls);
        times[1][i] = sample(other, calls);
    }
    for (int i = 0; i < 2; ++i) qsort(times[i], kSamples, sizeof(double), by_value);
    const double a = times[0][kSamples / 2];
    const double b = times[1][kSamples / 2];
    printf("%-16s %8zu  %12.1f   %-14s %12.1f   ratio %6.2f\n", name, bytes, a, other_name, b,
           a / b);
    fflush(stdout);
}

int main(void) {
    static const size_t sizes[] = {8, 64, 1024, 65536, kMost};
    shmem_init();
    if (shmem_n_pes() != 2) {
        fprintf(stderr, "requests: run with 2 PEs\n");
        shmem_global_exit(1);
    }
    dest = shmem_calloc(1, kMost);
    source = aligned_alloc(64, kMost);
    mine = aligned_alloc(64, kMost);
    memset(source, 0, kMost);
    memset(mine, 0, kMost);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        mapped = shmem_ptr(dest, 1);
        const int on_node = mapped != NULL;
        printf("%-16s %8s  %12s   %-14s %12s\n", "ours", "bytes", "ns", "compared", "ns");
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            bytes = sizes[i];
            if (on_node) row("put_req", put_req, "put", put);
            if (on_node) row("put_req, local", put_req_local, "put", put);
            row("put_req, remote", put_req_remote, "put_nbi, quiet", put_and_quiet);
            row("get_req", get_req, "get", get);
        }
        bytes = sizeof(long);
        row("fetch_add_req", fetch_add_req, "fetch_add", fetch_add);
        for (size_t i = 2; i < sizeof sizes / sizeof *sizes; ++i) {
            bytes = sizes[i];
            if (on_node) row("accumulate", accumulate, "local loop", loop);
            if (on_node) row("accumulate", accumulate, "bare atomics", bare_atomics);
            row("accumulate", accumulate, "get, add, put", get_add_put);
            row("accumulate", accumulate, "atomic_add each", atomic_adds);
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
