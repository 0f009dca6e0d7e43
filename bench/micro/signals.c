// SPDX-License-Identifier: BSD-3-Clause
//
// How long until a partner has seen data and its flag? Two PEs send them to and fro; half of a
// round trip is reported, from 8 B to 64 KiB of data:
//
//   signal_word         one long by p, its receiver in wait_until
//   signal_flag         putmem, fence and p of the flag; wait_until
//   signal_put_signal   putmem_signal; signal_wait_until (OpenSHMEM 1.5)
//   ..._pairs           the same by all pairs at once: messages of all PEs in a second
//
// The limit, where each PE has a core: memcpy and a release store through shmem_ptr, and a loop of
// acquire loads. Each receiver checks in each message that data came before their flag: the first
// and the last word carry the message's number.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/newer.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64, kBytesMax = 65536 };

static long* data;         // symmetric
static long* local;        // private
static long* flag;         // symmetric: the number of the message that came last
static long* mapped;       // the partner's data,
static long* mapped_flag;  // and flag, mapped here, or NULL
static long sequence;      // the number of the last message from here

static long stamp(size_t bytes) {
    ++sequence;
    local[0] = local[bytes / sizeof(long) - 1] = sequence;
    return sequence;
}

static void check(const char* what, size_t bytes) {
    const volatile long* words = data;
    const size_t last = bytes / sizeof(long) - 1;
    if (words[0] == sequence && words[last] == sequence) return;
    give_up("signals: %s of %zu bytes: expected %ld in the first and last word, found %ld and %ld",
            what, bytes, sequence, words[0], words[last]);
}

// ---- One message there or back ----

static void send_word(size_t bytes) {
    (void)bytes;
    shmem_long_p(flag, ++sequence, partner);
}
static void await_word(size_t bytes) {
    (void)bytes;
    shmem_long_wait_until(flag, SHMEM_CMP_GE, sequence);
    if (*(volatile long*)flag != sequence) give_up("signals: flag %ld, not %ld", *flag, sequence);
}

static void send_flag(size_t bytes) {
    const long number = stamp(bytes);
    shmem_putmem(data, local, bytes, partner);
    shmem_fence();
    shmem_long_p(flag, number, partner);
}
static void await_flag(size_t bytes) {
    shmem_long_wait_until(flag, SHMEM_CMP_GE, sequence);
    check("put, fence and p", bytes);
}

static void send_put_signal(size_t bytes) {
    const long number = stamp(bytes);
    put_with_signal(data, local, bytes, flag, number, partner);
}
static void await_put_signal(size_t bytes) {
    await_signal(flag, sequence);
    check("put_signal", bytes);
}

static void send_limit(size_t bytes) {
    const long number = stamp(bytes);
    memcpy(mapped, local, bytes);
    __atomic_store_n(mapped_flag, number, __ATOMIC_RELEASE);
}
static void await_limit(size_t bytes) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < sequence) {
        for (int wait = 0; wait < 8; ++wait) __asm__ volatile("" ::: "memory");
    }
    check("memcpy and store", bytes);
}
static void send_word_limit(size_t bytes) {
    (void)bytes;
    __atomic_store_n(mapped_flag, ++sequence, __ATOMIC_RELEASE);
}
static void await_word_limit(size_t bytes) {
    (void)bytes;
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < sequence) {
        for (int wait = 0; wait < 8; ++wait) __asm__ volatile("" ::: "memory");
    }
}

// ---- Round trips: the origin's message and its partner's answer have the same number ----

typedef void (*Step)(size_t bytes);

static inline __attribute__((always_inline)) void round_trips(Step send, Step await, long repeats,
                                                              size_t bytes) {
    if (is_origin(me)) {
        for (long i = 0; i < repeats; ++i) {
            send(bytes);
            await(bytes);
        }
    } else {
        for (long i = 0; i < repeats; ++i) {
            ++sequence;
            await(bytes);
            --sequence;  // the answer counts it again
            send(bytes);
        }
    }
}

static void word(long repeats, size_t bytes) { round_trips(send_word, await_word, repeats, bytes); }
static void word_limit(long repeats, size_t bytes) {
    round_trips(send_word_limit, await_word_limit, repeats, bytes);
}
static void flagged(long repeats, size_t bytes) {
    round_trips(send_flag, await_flag, repeats, bytes);
}
static void flagged_limit(long repeats, size_t bytes) {
    round_trips(send_limit, await_limit, repeats, bytes);
}
static void put_signal(long repeats, size_t bytes) {
    round_trips(send_put_signal, await_put_signal, repeats, bytes);
}

static void measure(const char* name, Body ours, Body limit, size_t bytes) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(2, 9, 31), has_limit = mapped && pes_fit;
    char pairs_name[64];
    active_pairs = 1;
    const long alone = repeats_together(ours, bytes, BOTH_WAYS, by_level(50, 2000, 4000) * 1e3);
    pairs_by_turns(ours, has_limit ? limit : NULL, alone, bytes, BOTH_WAYS, samples, ours_ns,
                   limit_ns);
    for (int i = 0; i < samples; ++i) {
        ours_ns[i] /= 2;
        limit_ns[i] /= 2;
    }
    report(name, "bytes", (double)bytes, "ns", 1, ours_ns, samples,
           has_limit ? median(limit_ns, samples) : 0);
    active_pairs = pairs;
    sequence = (long)fold_all((double)sequence, MAX_OF_ALL);
    if (pairs == 1) return;
    const long together = repeats_together(ours, bytes, BOTH_WAYS, by_level(50, 2000, 4000) * 1e3);
    pairs_by_turns(ours, NULL, together, bytes, BOTH_WAYS, samples, ours_ns, limit_ns);
    for (int i = 0; i < samples; ++i) ours_ns[i] = 2 * pairs * 1e3 / ours_ns[i];
    snprintf(pairs_name, sizeof pairs_name, "%s_pairs", name);
    report(pairs_name, "bytes", (double)bytes, "Mmessages/s", 0, ours_ns, samples, 0);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    if (npes < 2) {
        fprintf(stderr, "signals: it needs 2 PEs\n");
        end();
        return 0;
    }
    find_pairs();
    data = allocate(4096, kBytesMax);
    flag = allocate(128, 128);
    local = calloc(1, kBytesMax);
    mapped = shmem_ptr(data, partner);
    mapped_flag = shmem_ptr(flag, partner);
    if (!have_pointers(mapped) || !have_pointers(mapped_flag)) mapped = NULL;
    measure("signal_word", word, word_limit, sizeof(long));
    for (size_t bytes = 8; bytes <= (level == TINY ? 4096 : kBytesMax); bytes *= 8) {
        measure("signal_flag", flagged, flagged_limit, bytes);
        if (kHasSignals) measure("signal_put_signal", put_signal, flagged_limit, bytes);
    }
    end();
    return 0;
}
