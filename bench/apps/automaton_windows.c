// SPDX-License-Identifier: BSD-3-Clause
//
// What does the automaton (bench/apps/automaton.h) take when its ghost lines are windows, as in
// B.3.2 of Christgau 2017: a window for each ghost line of each array, POST and START behind the
// boundary lines, the puts, the inner lines, COMPLETE and WAIT? And as its two-sided twin (B.3.1),
// and with such windows by messages (figure 4.6)?
//
//   automaton_windows   as the paper
//   automaton_nostore   the same; POST promises that the PE has not stored into its ghost lines
//   automaton_messages  private arrays, lines in messages through shared memory
//   automaton_message_windows  the same as automaton_windows by messages: POST is a message;
//                       COMPLETE waits for it, sends the line and a last message, as MPICH does
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/messages.h"
// Uses functions of the header above.
#include "bench/apps/automaton.h"

static shmemx_window_t above[2], below[2];  // by array: the upper and the lower ghost line
static shmemx_epoch_t exposures[2], accesses[2];

static void post_and_put(const struct Exchange* exchange, int to, long promises) {
    unsigned char* array = exchange->arrays[to];
    shmemx_window_post(above[to], &upper, 1, promises, &exposures[0]);
    shmemx_window_post(below[to], &lower, 1, promises, &exposures[1]);
    shmemx_window_start(below[to], &upper, 1, 0, &accesses[0]);
    shmemx_window_start(above[to], &lower, 1, 0, &accesses[1]);
    shmemx_epoch_put(accesses[0], below_upper(array), array + stride, stride, upper);
    shmemx_epoch_put(accesses[1], array, array + (size_t)my_lines * stride, stride, lower);
}
static void put_to_windows(const struct Exchange* exchange, int to) {
    post_and_put(exchange, to, 0);
}
static void put_without_stores(const struct Exchange* exchange, int to) {
    post_and_put(exchange, to, SHMEMX_EPOCH_NOSTORE);
}
static void complete_and_wait(const struct Exchange* exchange, int to) {
    (void)exchange;
    (void)to;
    for (int i = 0; i < 2; ++i) shmemx_epoch_complete(&accesses[i]);
    for (int i = 0; i < 2; ++i) shmemx_epoch_wait(&exposures[i]);
}

// A neighbour that has sent its line of this step has this PE's line of the last one, and has
// computed from it. So its line may be copied out at any time.
static void send_lines(const struct Exchange* exchange, int to) {
    unsigned char* array = exchange->arrays[to];
    const size_t base = (size_t)(array - (unsigned char*)sections.window);
    const size_t ghost = base + (size_t)(below_upper(array) - array);
    send_put((const char*)array + stride, stride, ghost, upper);
    send_put((const char*)array + (size_t)my_lines * stride, stride, base, lower);
}
static void receive_lines(const struct Exchange* exchange, int to) {
    (void)exchange;
    (void)to;
    messages_wait_for_bytes(upper, (long)stride);
    messages_wait_for_bytes(lower, (long)stride);
}

// One-sided by messages. Both ghost lines of a PE have the same two partners, or one.
static void post_by_messages(const struct Exchange* exchange, int to) {
    (void)exchange;
    (void)to;
    send_short(PACKET_POST, upper);
    send_short(PACKET_POST, lower);
}
static void complete_by_messages(const struct Exchange* exchange, int to) {
    messages_wait_for_post(upper);
    messages_wait_for_post(lower);
    send_lines(exchange, to);
    send_short(PACKET_FINAL, upper);
    send_short(PACKET_FINAL, lower);
    receive_lines(exchange, to);
    messages_wait_for_finals(2);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    automaton_begin();
    const size_t bytes = (bytes_of_array() + kPage - 1) / kPage * kPage;
    unsigned char* private = aligned_alloc(kPage, 2 * bytes);
    if (!private) give_up("automaton: no memory for private arrays");
    memset(private, 0, 2 * bytes);
    sections_make((char*)private);
    for (int i = 0; i < 2; ++i) {
        unsigned char* last = symmetric[i] + (size_t)(my_lines + 1) * stride;
        shmemx_window_create(SHMEM_TEAM_WORLD, symmetric[i], stride, &above[i]);
        shmemx_window_create(SHMEM_TEAM_WORLD, last, stride, &below[i]);
    }
    const struct Exchange ways[] = {
        {"automaton_windows", {symmetric[0], symmetric[1]}, put_to_windows, complete_and_wait},
        {"automaton_nostore", {symmetric[0], symmetric[1]}, put_without_stores, complete_and_wait},
        {"automaton_messages", {private, private + bytes + kPage / 2}, send_lines, receive_lines},
        {"automaton_message_windows",
         {private, private + bytes + kPage / 2},
         post_by_messages,
         complete_by_messages},
    };
    automaton_measure(ways, 4);
    sections_free();
    free(private);
    end();
    return 0;
}
