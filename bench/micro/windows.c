// SPDX-License-Identifier: BSD-3-Clause
//
// What do epochs on windows take, call by call, with data, and with a target that comes late
// (bench/micro/windows_rows.h, which describes the rows)? The ways:
//
//   start, ..., latency_window    epochs on a window
//   nostore_start, ...            POST promises that the target has stored nothing
//   noput_start, ...              POST and START promise that there are no puts
//   messages_start, ...           by packets through shared memory (bench/messages.h)
//   latency_messages, ...         two-sided: packets that the receiver waits for
//   latency_message_windows, ...  one-sided by messages: packets for POST, put and COMPLETE
//
// And quiet, quiet_nostore: ns of a put of 8 bytes and a quiet, on a context without and with
// SHMEM_CTX_NOSTORE.
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/measure.h"
#include "bench/messages.h"
// Uses functions of the headers above.
#include "bench/micro/windows_rows.h"

enum { kPesMax = 1024, kQuiets = 20 };

static int targets[kPesMax];
static const int kOrigin = 0;
static shmemx_window_t window;
static shmemx_epoch_t epoch;

// ---- Calls apart ----

static void start_with(int k, long options) {
    shmemx_window_start(window, targets, (size_t)k, SHMEMX_EPOCH_IMMEDIATE | options, &epoch);
}
static void start(int k) { start_with(k, 0); }
static void start_without_puts(int k) { start_with(k, SHMEMX_EPOCH_NOPUT); }
static void complete(int k) {
    (void)k;
    shmemx_epoch_complete(&epoch);
}
static void post_with(long promises) { shmemx_window_post(window, &kOrigin, 1, promises, &epoch); }
static void post(int k) {
    (void)k;
    post_with(0);
}
static void post_without_stores(int k) {
    (void)k;
    post_with(SHMEMX_EPOCH_NOSTORE);
}
static void post_without_puts(int k) {
    (void)k;
    post_with(SHMEMX_EPOCH_NOPUT);
}
static void wait_for_end(int k) {
    (void)k;
    shmemx_epoch_wait(&epoch);
}

static void start_by_messages(int k) {
    for (int pe = 1; pe <= k; ++pe) messages_wait_for_post(pe);
}
static void complete_by_messages(int k) {
    for (int pe = 1; pe <= k; ++pe) send_short(PACKET_FINAL, pe);
}
static void post_by_messages(int k) {
    (void)k;
    send_short(PACKET_POST, 0);
}
static void wait_by_messages(int k) {
    (void)k;
    messages_wait_for_finals(1);
}

// ---- With data ----

static void put_in_epoch(size_t bytes, int count) {
    const int other = 1 - me;
    shmemx_window_start(window, &other, 1, 0, &epoch);
    for (int i = 0; i < count; ++i) shmemx_epoch_put(epoch, memory, source, bytes, other);
    shmemx_epoch_complete(&epoch);
}
static void expose(size_t bytes, int count) {
    const int other = 1 - me;
    (void)bytes;
    (void)count;
    shmemx_window_post(window, &other, 1, SHMEMX_EPOCH_NOSTORE, &epoch);
    shmemx_epoch_wait(&epoch);
}
static void send(size_t bytes, int count) {
    for (int i = 0; i < count; ++i) send_put((const char*)source, bytes, 0, 1 - me);
}
static void receive(size_t bytes, int count) {
    messages_wait_for_bytes(1 - me, (long)bytes * count);
}
static void answer(int is_sender) {
    if (is_sender) messages_wait_for_finals(1);
    if (!is_sender) send_short(PACKET_FINAL, 1 - me);
}
static void put_by_messages(size_t bytes, int count) {
    messages_wait_for_post(1 - me);
    send(bytes, count);
    send_short(PACKET_FINAL, 1 - me);
}
static void expose_by_messages(size_t bytes, int count) {
    send_short(PACKET_POST, 1 - me);
    receive(bytes, count);
    messages_wait_for_finals(1);
}

// ---- A quiet, without and with the promise of no stores ----

static void measure_quiet(const char* name, long options, int samples) {
    shmem_ctx_t context;
    if (shmem_ctx_create(options, &context) != 0) give_up("windows: no context");
    for (int i = 0; i < samples; ++i) {
        const unsigned char first = new_bytes(8);
        const double begun = now_ns();
        for (int repeat = 0; me == 0 && repeat < kQuiets; ++repeat) {
            shmem_ctx_putmem(context, memory, source, 8, 1);
            shmem_ctx_quiet(context);
        }
        times[0][i] = (now_ns() - begun) / kQuiets;
        meet();
        if (me == 1) check(8, first, name);
    }
    report(name, "bytes", 8, "ns", 1, times[0], samples, 0);
    shmem_ctx_destroy(context);
}

// ---- A late target ----

static void reach_all(int k, long mode) {
    shmemx_window_start(window, targets, (size_t)k, mode, &epoch);
    for (int pe = 1; pe <= k; ++pe) shmemx_epoch_put(epoch, memory, source, kLateBytes, pe);
    shmemx_epoch_complete(&epoch);
}
static void reach_one_by_one(int k) { reach_all(k, 0); }
static void reach_immediately(int k) { reach_all(k, SHMEMX_EPOCH_IMMEDIATE); }
static void reach_deferred(int k) { reach_all(k, SHMEMX_EPOCH_DEFERRED); }
static int has_data(unsigned char last) {
    static long polls;
    let_others_run(++polls);
    shmemx_window_refresh(window);
    if (*(volatile unsigned char*)&memory[kLateBytes - 1] != last) return 0;
    polls = 0;
    return 1;
}

int main(int argc, char** argv) {
    static const struct Calls kCalls[] = {
        {"", {start, post}, {complete, wait_for_end}},
        {"nostore_", {start, post_without_stores}, {complete, wait_for_end}},
        {"noput_", {start_without_puts, post_without_puts}, {complete, wait_for_end}},
        {"messages_",
         {start_by_messages, post_by_messages},
         {complete_by_messages, wait_by_messages}},
    };
    static const struct Transfer kTransfers[] = {
        {"window", put_in_epoch, expose, NULL},
        {"messages", send, receive, answer},
        {"message_windows", put_by_messages, expose_by_messages, NULL},
    };
    static const struct Late kLate[] = {
        {"trigger", reach_one_by_one, post, has_data, wait_for_end},
        {"immediate", reach_immediately, post, has_data, wait_for_end},
        {"deferred", reach_deferred, post, has_data, wait_for_end},
    };
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    if (npes > kPesMax) give_up("windows: at most %d PEs", kPesMax);
    for (int i = 0; i < npes; ++i) targets[i] = i + 1;
    memory = allocate(4096, kBytesMax);
    source = malloc(kBytesMax);
    if (!source) give_up("windows: no memory for a source");
    make_samples();
    shmemx_window_create(SHMEM_TEAM_WORLD, memory, kBytesMax, &window);
    sections_make((char*)memory);
    measure_all_calls(kCalls, 4);
    measure_all_transfers(kTransfers, 3);
    if (npes > 1) measure_quiet("quiet", 0, by_level(3, 51, 201));
    if (npes > 1) measure_quiet("quiet_nostore", SHMEM_CTX_NOSTORE, by_level(3, 51, 201));
    measure_all_late(kLate, 3);
    shmemx_window_destroy(&window);
    sections_free();
    free(source);
    end();
    return 0;
}
