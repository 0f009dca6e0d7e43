// SPDX-License-Identifier: BSD-3-Clause
//
// The measuring of epochs on windows, call by call, with data, and with a target that comes late.
// From PE 0, the origin, to k targets on the PEs behind it. A program includes this file behind
// bench/measure.h or bench/measure_mpi.h and says how each way synchronizes. Christgau 2017,
// medians as there:
//
//   start, complete, post, wait   ns of each call of empty epochs, no barrier in the loop; post and
//                                 wait of PE 1 (figure 3.15, table 3.4)
//   gats_sum                      origin's and target's calls together (figure 3.16)
//   latency_WAY                   half a round trip of one put or message, ns, as OSU's latencies
//                                 (figures 4.5, 4.15)
//   bandwidth_WAY                 64 of them, MB/s, as OSU's bandwidths (figures 4.5, 4.14)
//   late_MODE_origin, _data, _wait    the last target posts 1 ms late: ns of PE 0's epoch; ns until
//                                 PE 1, which is in time, sees its data, and returns from wait
//
// Verified: each target finds the bytes that were put to it.
#pragma once

enum { kSamplesMax = 1001, kBytesMax = 1 << 20, kBurst = 64 };
enum { kLateNs = 1000000, kLateBytes = 4096 };
enum call { START, COMPLETE, POST, WAIT, CALLS };

static unsigned char *memory, *source;  // the window's, symmetric; private
static double* times[CALLS];            // symmetric; PE 0's and PE 1's

static void make_samples(void) {
    for (int call = 0; call < CALLS; ++call)
        times[call] = allocate(64, sizeof(double[kSamplesMax]));
}

// PE 1's samples, on PE 0.
static void fetch(double* samples, int count) {
    meet();
    copy_to_first(samples, samples, sizeof(double) * (size_t)count, 1);
    meet();
}

// ---- Calls apart ----

struct Calls {
    const char* prefix;           // names of its rows begin with it
    void (*begin[2])(int count);  // the origin's start, by the number of targets; a target's post
    void (*end[2])(int count);    // complete, wait
};

static void measure_calls(const struct Calls* way, int k, int samples) {
    static const char* const kNames[CALLS] = {"start", "complete", "post", "wait"};
    const int role = me == 0 ? 0 : 1;
    char name[64];
    meet();
    for (int i = 0; i < samples && me <= k; ++i) {
        const double start = now_ns();
        way->begin[role](k);
        const double begun = now_ns();
        way->end[role](k);
        times[2 * role + START][i] = begun - start;
        times[2 * role + COMPLETE][i] = now_ns() - begun;
    }
    double sum = 0;
    for (int call = 0; call < CALLS; ++call) {
        if (call >= POST) fetch(times[call], samples);
        snprintf(name, sizeof name, "%s%s", way->prefix, kNames[call]);
        report(name, "targets", k, "ns", 1, times[call], samples, 0);
        sum += median(times[call], samples);
    }
    snprintf(name, sizeof name, "%ssum", way->prefix[0] ? way->prefix : "gats_");
    report_one(name, "targets", k, "ns", 1, sum);
}

// The ways by turns, with 1 to all other PEs as targets.
static void measure_all_calls(const struct Calls* ways, int count) {
    const int most = npes - 1;
    for (int k = 1; k <= most; k = k < 4 || k == most ? k + 1 : 2 * k <= most ? 2 * k : most) {
        for (int way = 0; way < count; ++way) measure_calls(&ways[way], k, by_level(5, 301, 1001));
    }
}

// ---- With data, between PEs 0 and 1 ----

// `count` puts or messages of `bytes` from the memory `source` to the other PE's `memory`.
struct Transfer {
    const char* name;
    void (*send)(size_t bytes, int count);
    void (*receive)(size_t bytes, int count);
    void (*answer)(int is_sender);  // behind a burst. NULL: send() returns after the receiver
};

static void check(size_t bytes, unsigned char first, const char* name) {
    for (size_t i = 0; i < bytes; ++i) {
        const unsigned char expected = (unsigned char)(first + i % 251);
        if (memory[i] == expected) continue;
        give_up("%s: byte %zu of %zu: expected %d, found %d", name, i, bytes, expected, memory[i]);
    }
}

static void round_trip(const struct Transfer* way, size_t bytes) {
    if (me == 0) way->send(bytes, 1);
    way->receive(bytes, 1);
    if (me == 1) way->send(bytes, 1);
}
static void burst(const struct Transfer* way, size_t bytes) {
    if (me == 0) way->send(bytes, kBurst);
    if (me == 1) way->receive(bytes, kBurst);
    if (way->answer) way->answer(me == 0);
}

static unsigned char new_bytes(size_t bytes) {
    static unsigned char first;
    ++first;
    for (size_t i = 0; i < bytes; ++i) source[i] = (unsigned char)(first + i % 251);
    meet();
    return first;
}

static void measure_transfer(const struct Transfer* way, int is_burst, size_t bytes, int samples) {
    const int repeats = level == TINY || bytes > 65536 ? 1 : 10;
    char name[64];
    snprintf(name, sizeof name, "%s_%s", is_burst ? "bandwidth" : "latency", way->name);
    for (int i = 0; i < samples; ++i) {
        const unsigned char first = new_bytes(bytes);
        const double start = now_ns();
        for (int repeat = 0; me < 2 && repeat < repeats; ++repeat)
            (is_burst ? burst : round_trip)(way, bytes);
        const double taken = fold_all(me < 2 ? now_ns() - start : 0, MAX_OF_ALL) / repeats;
        times[0][i] = is_burst ? (double)bytes * kBurst * 1e3 / taken : taken / 2;
        if (me == 1) check(bytes, first, name);
    }
    report(name, "bytes", (double)bytes, is_burst ? "MB/s" : "ns", !is_burst, times[0], samples, 0);
}

static void measure_all_transfers(const struct Transfer* ways, int count) {
    const size_t most = level == TINY ? 512 : kBytesMax;
    for (size_t bytes = 8; npes > 1 && bytes <= most; bytes *= 8) {
        for (int is_burst = 0; is_burst < 2; ++is_burst) {
            for (int way = 0; way < count; ++way)
                measure_transfer(&ways[way], is_burst, bytes, by_level(3, 21, 51));
        }
    }
}

// ---- A late target: the last PE ----

enum late { ORIGIN, DATA, RETURN };

struct Late {
    const char* mode;
    void (*reach_all)(int k);  // the origin's epoch, with kLateBytes to each target
    void (*post)(int k);
    int (*has_data)(unsigned char last);  // the last byte has come. NULL: cannot be known
    void (*wait)(int k);
};

static void watch_data(const struct Late* way, unsigned char last, int i) {
    const double start = now_ns();
    way->post(npes - 1);
    while (me == 1 && way->has_data && !way->has_data(last)) {
    }
    times[DATA][i] = now_ns() - start;
    way->wait(npes - 1);
    times[RETURN][i] = now_ns() - start;
}

static void measure_late(const struct Late* way, int samples) {
    static const char* const kParts[] = {"origin", "data", "wait"};
    const struct timespec pause = {.tv_nsec = kLateNs};
    char name[64];
    for (int i = 0; i < samples; ++i) {
        const unsigned char first = new_bytes(kLateBytes);
        if (me == npes - 1) nanosleep(&pause, NULL);
        const double start = now_ns();
        if (me == 0) way->reach_all(npes - 1);
        if (me == 0) times[ORIGIN][i] = now_ns() - start;
        if (me != 0) watch_data(way, source[kLateBytes - 1], i);
        if (me != 0) check(kLateBytes, first, way->mode);
    }
    for (int part = ORIGIN; part <= RETURN; ++part) {
        if (part != ORIGIN) fetch(times[part], samples);
        if (part == DATA && !way->has_data) continue;
        snprintf(name, sizeof name, "late_%s_%s", way->mode, kParts[part]);
        report(name, "targets", npes - 1, "ns", 1, times[part], samples, 0);
    }
}

static void measure_all_late(const struct Late* ways, int count) {
    for (int way = 0; npes > 2 && way < count; ++way)
        measure_late(&ways[way], by_level(3, 51, 201));
}
