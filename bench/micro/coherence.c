// SPDX-License-Identifier: BSD-3-Clause
//
// What does software coherence cost on a machine whose hardware keeps memory coherent anyway? The
// same program on each kind of heap (SHMEM_HEAP: shared, noncoherent-emulated, noncoherent:PATH);
// docs/measurements/noncoherent.md has the ratios. Nanoseconds of PE 0:
//
//   coherence_put, _get     of x bytes, PE 0 to PE 1; the limit is memcpy between private arrays
//   coherence_fetch_add     a fetching atomic on PE 1
//   coherence_sync          shmem_sync_all with x bytes of symmetric memory that no PE has changed
//   coherence_exchange      each PE stores x bytes of its own, all meet, each gets its neighbour's
//
// Verified: gets bring the bytes that were put, and those that the neighbour stored.
#define _GNU_SOURCE
#include "bench/measure.h"

enum { kSamplesMax = 64, kBytesMax = 1 << 20 };

static char* window;        // symmetric
static char *here, *there;  // private
static long words;          // in an exchange
static long* board;         // symmetric

static void put(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) shmem_putmem(window, here, bytes, 1);
}
static void get(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) shmem_getmem(there, window, bytes, 1);
}
static void copy(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        memcpy(there, here, bytes);
        __asm__ volatile("" ::: "memory");  // each copy counts
    }
}
static void fetch_add(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) shmem_long_atomic_fetch_add((long*)window, 1, 1);
}

static void fill(char* memory, size_t bytes, int first) {
    for (size_t i = 0; i < bytes; ++i) memory[i] = (char)(first + (int)(i % 113));
}

static void measure_transfers(int samples) {
    double ours[kSamplesMax], limit[kSamplesMax];
    for (size_t bytes = 8; bytes <= kBytesMax; bytes *= 8) {
        shmem_barrier_all();
        if (me == 0) {
            fill(here, bytes, 1);
            by_turns(put, copy, repeats_for(put, bytes, 5e5), bytes, samples, ours, limit);
            report("coherence_put", "bytes", (double)bytes, "ns", 1, ours, samples,
                   median(limit, samples));
            memset(there, 0, bytes);
            by_turns(get, NULL, repeats_for(get, bytes, 5e5), bytes, samples, ours, NULL);
            if (memcmp(there, here, bytes) != 0)
                give_up("coherence: the get of %zu bytes did not bring what was put", bytes);
            report("coherence_get", "bytes", (double)bytes, "ns", 1, ours, samples,
                   median(limit, samples));
        }
    }
    if (me == 0) {
        by_turns(fetch_add, NULL, repeats_for(fetch_add, 8, 5e5), 8, samples, ours, NULL);
        report("coherence_fetch_add", "bytes", 8, "ns", 1, ours, samples, 0);
    }
    shmem_barrier_all();
}

// One exchange of `words` words. RETURNS: nanoseconds.
static double exchange(long round) {
    const int right = (me + 1) % npes;
    for (long i = 0; i < words; ++i) board[i] = round * 1000 + me;
    shmem_barrier_all();
    const double start = now_ns();
    for (long i = 0; i < words; ++i) board[i] = round * 1000 + me + i;
    shmem_sync_all();
    shmem_long_get((long*)there, board, (size_t)words, right);
    const double taken = now_ns() - start;
    for (long i = 0; i < words; ++i) {
        const long expected = round * 1000 + right + i, found = ((long*)there)[i];
        if (found == expected) continue;
        give_up("coherence: word %ld of PE %d: expected %ld, found %ld", i, right, expected, found);
    }
    shmem_barrier_all();
    return taken;
}

static void measure_meetings(int samples) {
    double exchanges[kSamplesMax], syncs[kSamplesMax];
    for (size_t bytes = 4096; bytes <= kBytesMax; bytes *= 16) {
        words = (long)(bytes / sizeof(long));
        board = allocate(4096, bytes);
        for (int i = 0; i < samples; ++i) {
            exchanges[i] = exchange(i);
            const double start = now_ns();
            shmem_sync_all();
            syncs[i] = now_ns() - start;
        }
        report("coherence_sync", "bytes", (double)bytes, "ns", 1, syncs, samples, 0);
        report("coherence_exchange", "bytes", (double)bytes, "ns", 1, exchanges, samples, 0);
        shmem_barrier_all();
        shmem_free(board);
    }
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    const int samples = by_level(3, 21, 61);
    here = malloc(kBytesMax);
    there = malloc(kBytesMax);
    if (!here || !there) give_up("coherence: no private memory");
    memset(there, 0, kBytesMax);
    measure_meetings(samples);  // First: a meeting looks at all memory that was ever allocated.
    window = allocate(64, kBytesMax);
    if (npes > 1) measure_transfers(samples);
    free(here);
    free(there);
    end();
    return 0;
}
