// SPDX-License-Identifier: BSD-3-Clause
//
// What does a lock of a single PE take, next to the lock of the specification and to a naive loop?
// Figure 5.3 of Ravichandrasekaran 2015: all PEs acquire and release one lock again and again. This
// program runs all of them by turns. Nanoseconds for one acquisition and release:
//
//   cas_pair          PE 0 alone: shmem_atomic_compare_swap there and back, on the next PE
//   mutex_alone       PE 0 alone: shmemx_mutex_lock and unlock, on the next PE (aim: 3 cas_pair)
//   mutex_try_alone   the same by trylock
//   read_alone, write_alone   the same for a reader-writer lock
//   set_lock_alone    the same for shmem_set_lock and shmem_clear_lock
//   *_contended       all PEs on one lock of PE 0: total time / acquisitions of all PEs, of mutex,
//                     set_lock, and swap: a loop of shmem_atomic_compare_swap until it succeeds
//   *_contended_max   the longest time that a PE waited for one acquisition, in the whole run
#define _GNU_SOURCE
#include <sched.h>
#include <shmemx.h>

#include "bench/measure.h"

enum { kSamplesMax = 64, kContended = 3 };

// Symmetric. Each has cache lines of its own, as the counter is written under the locks.
static _Alignas(128) shmemx_mutex_t mutex;
static _Alignas(128) shmemx_rwlock_t rwlock;
static _Alignas(128) long set_lock;
static _Alignas(128) long naive;
static _Alignas(128) long counter;  // PE 0's counts acquisitions
static double wait_max[kContended];
static int neighbour;

static void cas_pair(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmem_long_atomic_compare_swap(&naive, 0, 1, neighbour);
        shmem_long_atomic_compare_swap(&naive, 1, 0, neighbour);
    }
}
static void mutex_alone(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmemx_mutex_lock(&mutex, neighbour);
        shmemx_mutex_unlock(&mutex, neighbour);
    }
}
static void mutex_try_alone(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        if (shmemx_mutex_trylock(&mutex, neighbour) == 0) give_up("mutexes: a free one was not");
        shmemx_mutex_unlock(&mutex, neighbour);
    }
}
static void read_alone(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmemx_rwlock_read_lock(&rwlock, neighbour);
        shmemx_rwlock_read_unlock(&rwlock, neighbour);
    }
}
static void write_alone(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmemx_rwlock_write_lock(&rwlock, neighbour);
        shmemx_rwlock_write_unlock(&rwlock, neighbour);
    }
}
static void set_lock_alone(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmem_set_lock(&set_lock);
        shmem_clear_lock(&set_lock);
    }
}

static const struct {
    const char* name;
    Body body;
} kAlone[] = {
    {"cas_pair", cas_pair},     {"mutex_alone", mutex_alone}, {"mutex_try_alone", mutex_try_alone},
    {"read_alone", read_alone}, {"write_alone", write_alone}, {"set_lock_alone", set_lock_alone}};

// By turns, so that the machine's clock is the same for all. The others wait in the barrier.
static void measure_alone(void) {
    enum { kRows = sizeof kAlone / sizeof kAlone[0] };
    static double ns[kRows][kSamplesMax];
    const int samples = by_level(3, 15, 31);
    shmem_barrier_all();
    if (me == 0) {
        const long repeats = by_level(100, 20000, 100000);
        for (int i = 0; i < samples; ++i) {
            for (int row = 0; row < kRows; ++row)
                ns[row][i] = time_of(kAlone[row].body, repeats, 0);
        }
    }
    shmem_barrier_all();
    for (int row = 0; row < kRows; ++row) {
        const double limit = row == 1 || row == 2 ? median(ns[0], samples) : 0;
        report(kAlone[row].name, "PEs", npes, "ns", 1, ns[row], samples, limit);
    }
}

static void acquire(int kind) {
    switch (kind) {
        case 0: shmemx_mutex_lock(&mutex, 0); return;
        case 1: shmem_set_lock(&set_lock); return;
        default:
            while (shmem_long_atomic_compare_swap(&naive, 0, 1, 0) != 0) {
                if (!pes_fit) sched_yield();
            }
    }
}
static void release(int kind) {
    switch (kind) {
        case 0: shmemx_mutex_unlock(&mutex, 0); return;
        case 1: shmem_clear_lock(&set_lock); return;
        default: shmem_quiet(); shmem_long_atomic_set(&naive, 0, 0);
    }
}

// Under the lock the PE adds to a counter on PE 0, which shows afterwards that it was alone.
static void contend(int kind, long repeats) {
    for (long i = 0; i < repeats; ++i) {
        const double start = now_ns();
        acquire(kind);
        const double waited = now_ns() - start;
        if (waited > wait_max[kind]) wait_max[kind] = waited;
        shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
        release(kind);
    }
}

static void measure_contended(void) {
    static const char* kNames[kContended][2] = {{"mutex_contended", "mutex_contended_max"},
                                                {"set_lock_contended", "set_lock_contended_max"},
                                                {"swap_contended", "swap_contended_max"}};
    static double ns[kContended][kSamplesMax];
    const int samples = by_level(2, 7, 15);
    long repeats = by_level(5, 2000, 8000) / npes + 1;
    if (!pes_fit) repeats = repeats / 4 + 1;
    for (int i = 0; i < samples; ++i) {
        for (int kind = 0; kind < kContended; ++kind) {
            shmem_barrier_all();
            const double start = now_ns();
            contend(kind, repeats);
            shmem_barrier_all();
            ns[kind][i] = agree(now_ns() - start) / ((double)repeats * npes);
        }
    }
    if (me == 0 && counter != samples * (long)kContended * repeats * npes) {
        give_up("mutexes: expected a count of %ld, found %ld",
                samples * (long)kContended * repeats * npes, counter);
    }
    for (int kind = 0; kind < kContended; ++kind) {
        report(kNames[kind][0], "PEs", npes, "ns", 1, ns[kind], samples, 0);
        double longest = fold_all(wait_max[kind], MAX_OF_ALL);
        report(kNames[kind][1], "PEs", npes, "ns", 1, &longest, 1, 0);
    }
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    neighbour = (me + 1) % npes;
    measure_alone();
    measure_contended();
    end();
    return 0;
}
