// SPDX-License-Identifier: BSD-3-Clause
//
// What does a lock take? Figure 5.3 of Ravichandrasekaran 2015: all PEs acquire and release one
// lock again and again; and the same without others. Nanoseconds for one acquisition and release:
//
//   lock_alone        by PE 0, while the others wait in a barrier; the limit is one
//                     compare-and-swap and one store on mapped memory
//   lock_test         the same by shmem_test_lock
//   lock_contended    all PEs on one lock: total time / acquisitions of all PEs (figure 5.3)
//   lock_protecting   the same, and a counter on PE 0 is read and written meanwhile: it is checked
//   lock_own          each PE has its own lock: total time / acquisitions of one PE
#define _GNU_SOURCE
#include "bench/measure.h"

enum { kSamplesMax = 64, kLineLongs = 16 };

static long* locks;       // symmetric: one a line, for each PE one more than there are PEs
static long* counter;     // symmetric; PE 0's counts
static long* limit_word;  // a word of a peer, mapped here, or NULL

static void acquire(long* lock, long repeats) {
    for (long i = 0; i < repeats; ++i) {
        shmem_set_lock(lock);
        shmem_clear_lock(lock);
    }
}

static void alone(long repeats, size_t bytes) {
    (void)bytes;
    acquire(locks, repeats);
}
static void tested(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        if (shmem_test_lock(locks) != 0) give_up("locks: a free lock was not free");
        shmem_clear_lock(locks);
    }
}
static void limit_alone(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        long expected = 0;
        __atomic_compare_exchange_n(limit_word, &expected, 1, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED);
        __atomic_store_n(limit_word, 0, __ATOMIC_RELEASE);
    }
}
static void contended(long repeats, size_t bytes) {
    (void)bytes;
    acquire(locks, repeats);
}
static void protecting(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmem_set_lock(locks);
        shmem_long_p(counter, shmem_long_g(counter, 0) + 1, 0);
        shmem_quiet();
        shmem_clear_lock(locks);
    }
}
static void own(long repeats, size_t bytes) {
    (void)bytes;
    acquire(locks + (me + 1) * kLineLongs, repeats);
}

static void measure_alone(const char* name, Body ours) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(3, 21, 61);
    shmem_barrier_all();
    if (me == 0) {
        const long repeats = repeats_for(ours, 0, by_level(20, 500, 1000) * 1e3);
        by_turns(ours, limit_word ? limit_alone : NULL, repeats, 0, samples, ours_ns, limit_ns);
    }
    shmem_barrier_all();
    report(name, "PEs", npes, "ns", 1, ours_ns, samples,
           limit_word ? median(limit_ns, samples) : 0);
}

// Time of all PEs, until the last has done.
static double time_together(Body ours, long repeats) {
    shmem_barrier_all();
    double start = now_ns();
    ours(repeats, 0);
    shmem_barrier_all();
    return now_ns() - start;
}

// `divisor`: acquisitions for each repeat. RETURNS: repeats made by each PE in all.
static long measure_together(const char* name, Body ours, double divisor) {
    static double ours_ns[kSamplesMax];
    const int samples = by_level(2, 9, 15);
    const double wanted_ns = by_level(2, 40, 200) * 1e6;
    long repeats = 4, done = 0;
    double taken_ns;
    do {
        taken_ns = agree(time_together(ours, repeats));
        done += repeats;
        if (taken_ns < wanted_ns / 4) repeats *= 2;
    } while (taken_ns < wanted_ns / 4);
    repeats = (long)((double)repeats * wanted_ns / taken_ns) + 1;
    for (int i = 0; i < samples; ++i) {
        ours_ns[i] = time_together(ours, repeats) / ((double)repeats * divisor);
        done += repeats;
    }
    report(name, "PEs", npes, "ns", 1, ours_ns, samples, 0);
    return done;
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    locks = allocate(64, sizeof(long) * kLineLongs * (size_t)(npes + 1));
    counter = allocate(64, 64);
    long* limit_words = allocate(64, 64);
    limit_word = shmem_ptr(limit_words, (me + 1) % npes);
    measure_alone("lock_alone", alone);
    measure_alone("lock_test", tested);
    measure_together("lock_contended", contended, npes);
    const long done = measure_together("lock_protecting", protecting, npes);
    shmem_barrier_all();
    if (me == 0 && *(volatile long*)counter != done * npes)
        give_up("locks: expected a count of %ld, found %ld", done * npes, *counter);
    measure_together("lock_own", own, 1);
    end();
    return 0;
}
