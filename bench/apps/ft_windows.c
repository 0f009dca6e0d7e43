// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is the Fourier transform (bench/apps/ft.h) when the blocks are put into a window that is
// there for nothing else, between POST and START, COMPLETE and WAIT, as in section 4.4.4 of
// Christgau 2017? And as its two-sided twin?
//
//   ft_windows          a put for each PE of the row or column, behind the computation
//   ft_windows_overlap  puts of pieces: the transform of the next piece goes on meanwhile
//   ft_nostore          as ft_windows; POST promises that the PE stores nothing into the window
//   ft_messages         messages through shared memory into a private array: the receiver says that
//                       its array is free, and packets follow, as large messages of MPI do
#define _GNU_SOURCE
#include <math.h>
#include <shmemx.h>

#include "bench/messages.h"
// Uses functions of the header above.
#include "bench/apps/ft.h"

enum { kPesMax = 128 };

static int members[kPesMax];
static shmemx_window_t window;
static shmemx_epoch_t exposure, access_to_all;

static void create_window(size_t bytes) {
    if (npes > kPesMax) give_up("ft_windows: at most %d PEs", kPesMax);
    shmemx_window_create(SHMEM_TEAM_WORLD, incoming, bytes, &window);
}
static void destroy_window(void) { shmemx_window_destroy(&window); }

static void post_and_start(long promises) {
    for (int i = 0; i < group->count; ++i) members[i] = member(i);
    shmemx_window_post(window, members, (size_t)group->count, promises, &exposure);
    shmemx_window_start(window, members, (size_t)group->count, 0, &access_to_all);
}
static void begin_epochs(void) { post_and_start(0); }
static void begin_epochs_without_stores(void) { post_and_start(SHMEMX_EPOCH_NOSTORE); }
static void put(struct Complex* to, const struct Complex* from, size_t bytes, int pe) {
    shmemx_epoch_put(access_to_all, to, from, bytes, pe);
}
static void complete_and_wait(void) {
    shmemx_epoch_complete(&access_to_all);
    shmemx_epoch_wait(&exposure);
}

static struct Complex* symmetric;  // `incoming` of the other ways

static void make_sections(size_t bytes) {
    symmetric = incoming;
    incoming = numbers((long)(bytes / sizeof(struct Complex)));
    sections_make((char*)incoming);
}
static void free_sections(void) {
    sections_free();
    free(incoming);
    incoming = symmetric;
}
static void offer(void) {
    for (int i = 0; i < group->count; ++i) send_short(PACKET_POST, member(i));
}
static void send(struct Complex* to, const struct Complex* from, size_t bytes, int pe) {
    messages_wait_for_post(pe);
    send_put((const char*)from, bytes, (size_t)((char*)to - (char*)incoming), pe);
    send_short(PACKET_FINAL, pe);
}
static void receive_all(void) { messages_wait_for_finals(group->count); }

int main(int argc, char** argv) {
    static const struct Exchange kWays[] = {
        {"ft_windows", 0, create_window, begin_epochs, put, complete_and_wait, destroy_window},
        {"ft_windows_overlap", 1, create_window, begin_epochs, put, complete_and_wait,
         destroy_window},
        {"ft_nostore", 0, create_window, begin_epochs_without_stores, put, complete_and_wait,
         destroy_window},
        {"ft_messages", 0, make_sections, offer, send, receive_all, free_sections},
    };
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    ft_run(kWays, 4);
    end();
    return 0;
}
