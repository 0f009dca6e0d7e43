// SPDX-License-Identifier: BSD-3-Clause
//
// What do epochs on windows take, call by call, with data, and with a target that comes late? From
// PE 0, the origin, to k targets on the PEs behind it; the twin "messages" goes through shared
// memory by packets (bench/messages.h). Christgau 2017, medians as there:
//
//   start, complete, post, wait       ns of each call of empty epochs, no barrier in the loop; post
//                                     and wait of PE 1 (figure 3.15, table 3.4)
//   messages_start, ...               the same calls by messages
//   gats_sum, messages_sum            origin's and target's calls together (figure 3.16)
//   latency_window, latency_messages  half a round trip of one put, ns, as OSU's put latency with
//                                     post, start, complete, wait, and its latency (figure 4.15)
//   bandwidth_window, _messages       64 puts in an epoch, MB/s, as OSU's put bandwidth; packets,
//                                     and an answer behind 64 puts (figure 4.14)
//   late_MODE_origin, _data, _wait    the last target posts 1 ms late: ns of PE 0's epoch; ns until
//                                     PE 1, which is in time, sees its data, and returns from wait
//
// Verified: each target finds the bytes that were put to it.
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/measure.h"
#include "bench/messages.h"

enum { kPesMax = 1024, kSamplesMax = 1001, kBytesMax = 1 << 20, kBurst = 64 };
enum { kLateNs = 1000000, kLateBytes = 4096 };
enum call { START, COMPLETE, POST, WAIT, CALLS };

static int targets[kPesMax];
static const int kOrigin = 0;
static shmemx_window_t window;
static unsigned char *memory, *source;  // the window's, symmetric; private
static double* times[CALLS];            // symmetric; PE 0's and PE 1's

// PE 1's samples, on PE 0.
static void fetch(double* samples, int count) {
    shmem_barrier_all();
    if (me == 0) shmem_double_get(samples, samples, (size_t)count, 1);
    shmem_barrier_all();
}

// ---- Calls apart ----

static void start_and_complete(int k, int i) {
    shmemx_epoch_t epoch;
    const double start = now_ns();
    shmemx_window_start(window, targets, (size_t)k, SHMEMX_EPOCH_IMMEDIATE, &epoch);
    const double started = now_ns();
    shmemx_epoch_complete(&epoch);
    times[START][i] = started - start;
    times[COMPLETE][i] = now_ns() - started;
}
static void post_and_wait(int i) {
    shmemx_epoch_t epoch;
    const double start = now_ns();
    shmemx_window_post(window, &kOrigin, 1, 0, &epoch);
    const double posted = now_ns();
    shmemx_epoch_wait(&epoch);
    times[POST][i] = posted - start;
    times[WAIT][i] = now_ns() - posted;
}
static void start_and_complete_by_messages(int k, int i) {
    const double start = now_ns();
    for (int pe = 1; pe <= k; ++pe) messages_wait_for_post(pe);
    const double started = now_ns();
    for (int pe = 1; pe <= k; ++pe) send_short(PACKET_FINAL, pe);
    times[START][i] = started - start;
    times[COMPLETE][i] = now_ns() - started;
}
static void post_and_wait_by_messages(int i) {
    const double start = now_ns();
    send_short(PACKET_POST, 0);
    const double posted = now_ns();
    messages_wait_for_finals(1);
    times[POST][i] = posted - start;
    times[WAIT][i] = now_ns() - posted;
}

static void measure_calls(int k, int by_messages, int samples) {
    static const char* const kNames[2][CALLS] = {
        {"start", "complete", "post", "wait"},
        {"messages_start", "messages_complete", "messages_post", "messages_wait"}};
    shmem_barrier_all();
    for (int i = 0; i < samples && me <= k; ++i) {
        if (me == 0 && by_messages) start_and_complete_by_messages(k, i);
        if (me == 0 && !by_messages) start_and_complete(k, i);
        if (me != 0 && by_messages) post_and_wait_by_messages(i);
        if (me != 0 && !by_messages) post_and_wait(i);
    }
    double sum = 0;
    for (int call = 0; call < CALLS; ++call) {
        if (call >= POST) fetch(times[call], samples);
        report(kNames[by_messages][call], "targets", k, "ns", 1, times[call], samples, 0);
        sum += median(times[call], samples);
    }
    report_one(by_messages ? "messages_sum" : "gats_sum", "targets", k, "ns", 1, sum);
}

// ---- With data, between PEs 0 and 1 ----

static void put_in_epoch(size_t bytes, int count) {
    const int other = 1 - me;
    shmemx_epoch_t epoch;
    shmemx_window_start(window, &other, 1, 0, &epoch);
    for (int i = 0; i < count; ++i) shmemx_epoch_put(epoch, memory, source, bytes, other);
    shmemx_epoch_complete(&epoch);
}
static void expose(void) {
    const int other = 1 - me;
    shmemx_epoch_t epoch;
    shmemx_window_post(window, &other, 1, SHMEMX_EPOCH_NOSTORE, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void send(size_t bytes, int count) {
    for (int i = 0; i < count; ++i) send_put((const char*)source, bytes, 0, 1 - me);
}
static void receive(size_t bytes, int count) {
    messages_wait_for_bytes(1 - me, (long)bytes * count);
}

static void round_trip(size_t bytes) {
    if (me == 0) put_in_epoch(bytes, 1);
    expose();
    if (me == 1) put_in_epoch(bytes, 1);
}
static void round_trip_by_messages(size_t bytes) {
    if (me == 0) send(bytes, 1);
    receive(bytes, 1);
    if (me == 1) send(bytes, 1);
}
static void burst(size_t bytes) {
    if (me == 0) put_in_epoch(bytes, kBurst);
    if (me == 1) expose();
}
static void burst_by_messages(size_t bytes) {
    if (me == 0) send(bytes, kBurst);
    if (me == 1) receive(bytes, kBurst);
    if (me == 1) send_short(PACKET_FINAL, 0);
    if (me == 0) messages_wait_for_finals(1);
}

static void check(size_t bytes, unsigned char first, const char* name) {
    for (size_t i = 0; i < bytes; ++i) {
        const unsigned char expected = (unsigned char)(first + i % 251);
        if (memory[i] == expected) continue;
        give_up("%s: byte %zu of %zu: expected %d, found %d", name, i, bytes, expected, memory[i]);
    }
}

static void measure_bytes(size_t bytes, int samples) {
    static void (*const kBodies[])(size_t) = {round_trip, round_trip_by_messages, burst,
                                              burst_by_messages};
    static const char* const kNames[] = {"latency_window", "latency_messages", "bandwidth_window",
                                         "bandwidth_messages"};
    static unsigned char first;
    for (int body = 0; body < 4; ++body) {
        const int repeats = bytes > 65536 ? 1 : 10, bursts = body >= 2;
        for (int i = 0; i < samples; ++i) {
            ++first;
            for (size_t k = 0; k < bytes; ++k) source[k] = (unsigned char)(first + k % 251);
            shmem_barrier_all();
            const double start = now_ns();
            for (int repeat = 0; me < 2 && repeat < repeats; ++repeat) kBodies[body](bytes);
            const double taken = fold_all(me < 2 ? now_ns() - start : 0, MAX_OF_ALL) / repeats;
            times[0][i] = bursts ? (double)bytes * kBurst * 1e3 / taken : taken / 2;
            if (me == 1) check(bytes, first, kNames[body]);
        }
        report(kNames[body], "bytes", (double)bytes, bursts ? "MB/s" : "ns", !bursts, times[0],
               samples, 0);
    }
}

// ---- A late target: the last PE ----

enum late { ORIGIN, DATA, RETURN };

static void start_towards_late(long mode, int k, int i) {
    shmemx_epoch_t epoch;
    const double start = now_ns();
    shmemx_window_start(window, targets, (size_t)k, mode, &epoch);
    for (int pe = 1; pe <= k; ++pe) shmemx_epoch_put(epoch, memory, source, kLateBytes, pe);
    shmemx_epoch_complete(&epoch);
    times[ORIGIN][i] = now_ns() - start;
}
static void watch_data(unsigned char last, int i) {
    shmemx_epoch_t epoch;
    const double start = now_ns();
    shmemx_window_post(window, &kOrigin, 1, 0, &epoch);
    for (long polls = 0; me == 1; let_others_run(++polls)) {
        shmemx_window_refresh(window);
        if (*(volatile unsigned char*)&memory[kLateBytes - 1] == last) break;
    }
    times[DATA][i] = now_ns() - start;
    shmemx_epoch_wait(&epoch);
    times[RETURN][i] = now_ns() - start;
}

static void measure_late(int samples) {
    static const long kModes[] = {0, SHMEMX_EPOCH_IMMEDIATE, SHMEMX_EPOCH_DEFERRED};
    static const char* const kNames[3][3] = {
        {"late_trigger_origin", "late_trigger_data", "late_trigger_wait"},
        {"late_immediate_origin", "late_immediate_data", "late_immediate_wait"},
        {"late_deferred_origin", "late_deferred_data", "late_deferred_wait"}};
    static unsigned char first;
    const struct timespec pause = {.tv_nsec = kLateNs};
    for (int mode = 0; mode < 3; ++mode) {
        for (int i = 0; i < samples; ++i) {
            ++first;
            for (size_t k = 0; k < kLateBytes; ++k) source[k] = (unsigned char)(first + k % 251);
            shmem_barrier_all();
            if (me == npes - 1) nanosleep(&pause, NULL);
            if (me == 0) start_towards_late(kModes[mode], npes - 1, i);
            if (me != 0) watch_data(source[kLateBytes - 1], i);
            if (me != 0) check(kLateBytes, first, kNames[mode][DATA]);
        }
        for (int part = ORIGIN; part <= RETURN; ++part) {
            if (part != ORIGIN) fetch(times[part], samples);
            report(kNames[mode][part], "targets", npes - 1, "ns", 1, times[part], samples, 0);
        }
    }
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    if (npes > kPesMax) give_up("windows: at most %d PEs", kPesMax);
    for (int i = 0; i < npes; ++i) targets[i] = i + 1;
    memory = allocate(4096, kBytesMax);
    source = malloc(kBytesMax);
    if (!source) give_up("windows: no memory for a source");
    for (int call = 0; call < CALLS; ++call)
        times[call] = allocate(64, sizeof(double[kSamplesMax]));
    shmemx_window_create(SHMEM_TEAM_WORLD, memory, kBytesMax, &window);
    sections_make((char*)memory);
    for (int k = 1; k < npes; k = k < 4 || k == npes - 1 ? k + 1
                                  : 2 * k < npes         ? 2 * k
                                                         : npes - 1) {
        for (int by_messages = 0; by_messages < 2; ++by_messages)
            measure_calls(k, by_messages, by_level(5, 301, 1001));
    }
    const size_t most = level == TINY ? 512 : kBytesMax;
    for (size_t bytes = 8; npes > 1 && bytes <= most; bytes *= 8)
        measure_bytes(bytes, by_level(3, 21, 51));
    if (npes > 2) measure_late(by_level(3, 51, 201));
    shmemx_window_destroy(&window);
    sections_free();
    free(source);
    end();
    return 0;
}
