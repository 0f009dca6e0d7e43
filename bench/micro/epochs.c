// SPDX-License-Identifier: BSD-3-Clause
//
// What does the synchronization of epochs take? Section 3.5.3 of Christgau 2017: PE 0 is the
// origin, PEs 1 to k are its targets, for k from 1 to all others; no communication, because that
// hides the costs of the deferred mode, and no barrier in the loop. Nanoseconds of PE 0:
//
//   epoch_*        start and complete towards k targets that post and wait, in the modes trigger
//                  (the origin asks each target with shmemx_epoch_ready), immediate, deferred
//   post_k         one post for k origins, and the wait for them (PE 0 is the target)
//   sync_team      for comparison: shmem_team_sync of the same k + 1 PEs
//   flags          the same by hand: k flags by atomics there and back, and waits for them
//   words_spread   match vector and completion counters as in the paper's 3.4, by atomics; those of
//                  a PE lie in its own memory (the paper's distributed database)
//   words_central  the same, but all lie side by side in PE 0's memory
//   messages       the same by messages through shared memory (bench/messages.h)
//
// And by size, from PE 0 to PE 1 in one epoch, MB/s: put_epoch, put_messages; the limit is memcpy.
// Verified: the target has the bytes that were put.
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/measure.h"
#include "bench/messages.h"

enum { kPesMax = 1024, kPesOfWords = 64, kSamplesMax = 1001, kBytesMax = 1 << 20 };

static int targets[kPesMax];
static long asked[kPesMax], answered[kPesMax];  // symmetric, by PE
static long rounds;
static double samples_ns[kSamplesMax];
static shmem_team_t team;
static unsigned char *window, *source;  // symmetric; private

// Symmetric; by the PE whose they are. Spread: each PE uses its own entry of its own memory.
static struct Words {
    unsigned long posted[kPesOfWords];  // bit i: PE i has posted
    long open[kPesOfWords];             // origins that have not completed
} words;

static void origin(int k, long options) {
    shmemx_epoch_t epoch;
    shmemx_epoch_start(targets, (size_t)k, options, &epoch);
    if (options == 0) {
        for (int i = 0; i < k; ++i) shmemx_epoch_ready(epoch, targets[i]);
    }
    shmemx_epoch_complete(&epoch);
}
static void target(void) {
    const int pe = 0;
    shmemx_epoch_t epoch;
    shmemx_epoch_post(&pe, 1, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void expose(int k) {
    shmemx_epoch_t epoch;
    shmemx_epoch_post(targets, (size_t)k, 0, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void access_one(void) {
    const int pe = 0;
    shmemx_epoch_t epoch;
    shmemx_epoch_start(&pe, 1, 0, &epoch);
    shmemx_epoch_ready(epoch, 0);
    shmemx_epoch_complete(&epoch);
}
static void flags_of_origin(int k) {
    ++rounds;
    for (int i = 1; i <= k; ++i) shmem_long_wait_until(&asked[i], SHMEM_CMP_GE, rounds);
    for (int i = 1; i <= k; ++i) shmem_long_atomic_set(&answered[0], rounds, i);
}
static void flags_of_target(void) {
    ++rounds;
    shmem_long_atomic_set(&asked[me], rounds, 0);
    shmem_long_wait_until(&answered[0], SHMEM_CMP_GE, rounds);
}

// `home`: the PE that has the words of each PE; -1: each has its own.
static int home_of(int home, int pe) { return home < 0 ? pe : home; }
static void words_of_origin(int k, int home) {
    for (int i = 1; i <= k; ++i) {
        long polls = 0;
        while (!(shmem_ulong_atomic_fetch(&words.posted[0], home_of(home, 0)) >> i & 1))
            let_others_run(++polls);
        shmem_ulong_atomic_and(&words.posted[0], ~(1UL << i), home_of(home, 0));
    }
    for (int i = 1; i <= k; ++i) shmem_long_atomic_add(&words.open[i], -1, home_of(home, i));
}
static void words_of_target(int home) {
    shmem_long_atomic_set(&words.open[me], 1, home_of(home, me));
    shmem_fence();
    shmem_ulong_atomic_or(&words.posted[0], 1UL << me, home_of(home, 0));
    long polls = 0;
    while (shmem_long_atomic_fetch(&words.open[me], home_of(home, me)) != 0)
        let_others_run(++polls);
}
static void messages_of_origin(int k) {
    for (int i = 1; i <= k; ++i) messages_wait_for_post(i);
    for (int i = 1; i <= k; ++i) send_short(PACKET_FINAL, i);
}
static void messages_of_target(void) {
    send_short(PACKET_POST, 0);
    messages_wait_for_finals(1);
}

enum {
    kTrigger,
    kImmediate,
    kDeferred,
    kPost,
    kSync,
    kFlags,
    kSpread,
    kCentral,
    kMessages,
    kKinds
};
static const char* const kNames[kKinds] = {"epoch_trigger", "epoch_immediate", "epoch_deferred",
                                           "post_k",        "sync_team",       "flags",
                                           "words_spread",  "words_central",   "messages"};

static void step(int kind, int k) {
    static const long kOptions[] = {0, SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED};
    if (me > k) return;
    if (kind <= kDeferred) {
        if (me == 0) origin(k, kOptions[kind]);
        if (me != 0) target();
    } else if (kind == kPost) {
        if (me == 0) expose(k);
        if (me != 0) access_one();
    } else if (kind == kSync) {
        shmem_team_sync(team);
    } else if (kind == kFlags) {
        if (me == 0) flags_of_origin(k);
        if (me != 0) flags_of_target();
    } else if (kind == kMessages) {
        if (me == 0) messages_of_origin(k);
        if (me != 0) messages_of_target();
    } else if (k < kPesOfWords) {
        const int home = kind == kCentral ? 0 : -1;
        if (me == 0) words_of_origin(k, home);
        if (me != 0) words_of_target(home);
    }
}

// ---- By size ----

static void put_by_epoch(size_t bytes) {
    const int pe = 1;
    shmemx_epoch_t epoch;
    if (me == 1) return target();
    shmemx_epoch_start(&pe, 1, 0, &epoch);
    shmemx_epoch_put(epoch, window, source, bytes, 1);
    shmemx_epoch_complete(&epoch);
}
static void put_by_messages(size_t bytes) {
    if (me == 1) return messages_of_target();
    messages_wait_for_post(1);
    send_put((const char*)source, bytes, 0, 1);
    send_short(PACKET_FINAL, 1);
}

// The bytes that the target found, and its time.
static void check_window(size_t bytes, unsigned char first, const char* name) {
    for (size_t i = 0; me == 1 && i < bytes; ++i) {
        const unsigned char expected = (unsigned char)(first + i % 251);
        if (window[i] == expected) continue;
        give_up("%s: byte %zu of %zu: expected %d, found %d", name, i, bytes, expected, window[i]);
    }
}

static void measure_puts(size_t bytes, int samples) {
    static void (*const kBodies[])(size_t) = {put_by_epoch, put_by_messages};
    static const char* const kBodyNames[] = {"put_epoch", "put_messages"};
    static double rates[2][kSamplesMax], limits[kSamplesMax];
    static unsigned char first;
    for (int i = 0; i < samples; ++i) {
        for (int body = 0; body < 2; ++body) {
            ++first;
            for (size_t k = 0; k < bytes; ++k) source[k] = (unsigned char)(first + k % 251);
            shmem_barrier_all();
            const double start = now_ns();
            if (me < 2) kBodies[body](bytes);
            // The target's wait is the end. Its clock is this PE's, for they share a host.
            const double taken = fold_all(me < 2 ? now_ns() - start : 0, MAX_OF_ALL);
            rates[body][i] = (double)bytes * 1e3 / taken;
            check_window(bytes, first, kBodyNames[body]);
        }
        const double start = now_ns();
        memcpy(window, source, bytes);
        limits[i] = (double)bytes * 1e3 / (now_ns() - start + 1);
        shmem_barrier_all();
    }
    const double limit = median(limits, samples);
    for (int body = 0; body < 2; ++body)
        report(kBodyNames[body], "bytes", (double)bytes, "MB/s", 0, rates[body], samples, limit);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    if (npes > kPesMax) give_up("epochs: at most %d PEs", kPesMax);
    for (int i = 0; i < npes; ++i) targets[i] = i + 1;
    window = allocate(64, kBytesMax);
    source = malloc(kBytesMax);
    if (!source) give_up("epochs: no memory for a source");
    sections_make((char*)window);
    const int samples = by_level(5, 301, 1001);
    for (int k = 1; k < npes; k = k < 4 ? k + 1 : 2 * k) {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, k + 1, NULL, 0, &team);
        for (int kind = 0; kind < kKinds; ++kind) {
            if ((kind == kSpread || kind == kCentral) && k >= kPesOfWords) continue;
            rounds = 0;
            for (int i = 0; i < npes; ++i) asked[i] = answered[i] = 0;
            shmem_barrier_all();
            for (int i = 0; i < samples; ++i) {
                const double start = now_ns();
                step(kind, k);
                samples_ns[i] = now_ns() - start;
            }
            shmem_barrier_all();
            report(kNames[kind], "targets", k, "ns", 1, samples_ns, samples, 0);
        }
        if (team != SHMEM_TEAM_INVALID) shmem_team_destroy(team);
    }
    for (size_t bytes = 8; npes > 1 && bytes <= kBytesMax; bytes *= 8)
        measure_puts(bytes, by_level(3, 51, 201));
    sections_free();
    free(source);
    end();
    return 0;
}
