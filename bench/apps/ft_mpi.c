// SPDX-License-Identifier: BSD-3-Clause
//
// The Fourier transform (bench/apps/ft.h) in plain MPI, the twin of apps/ft_windows.c.
//
//   ft_windows          MPI_Win_post and _start, MPI_Put to each process of the row or column,
//                       behind the computation, MPI_Win_complete and _wait
//   ft_windows_overlap  puts of pieces: the transform of the next piece goes on meanwhile
//   ft_messages         MPI_Irecv and MPI_Isend, behind the computation, MPI_Waitall
#define _GNU_SOURCE
#include "bench/measure_mpi.h"
// Uses functions of the header above.
#include "bench/apps/ft.h"

enum { kGroupMax = 128 };

static struct Complex* private_memory;  // `incoming` without a window
static MPI_Win window;
static MPI_Group partners;
static MPI_Request requests[2 * kGroupMax];
static MPI_Status statuses[2 * kGroupMax];
static int request_count;

static void create_window(size_t bytes) {
    private_memory = incoming;
    incoming = window_memory(bytes, &window);
}
static void free_window(void) {
    MPI_Win_free(&window);
    incoming = private_memory;
}

static void post_and_start(void) {
    int members[kGroupMax];
    for (int i = 0; i < group->count; ++i) members[i] = member(i);
    partners = group_of(group->count, members);
    MPI_Win_post(partners, 0, window);
    MPI_Win_start(partners, 0, window);
}
static void put(struct Complex* to, const struct Complex* from, size_t bytes, int pe) {
    const MPI_Aint offset = (char*)to - (char*)incoming;
    MPI_Put(from, (int)bytes, MPI_BYTE, pe, offset, (int)bytes, MPI_BYTE, window);
}
static void complete_and_wait(void) {
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&partners);
}

static void receive(void) {
    for (int i = 0; i < group->count; ++i) {
        MPI_Irecv(incoming + block_first(i), (int)(block_numbers(i) * (long)sizeof *incoming),
                  MPI_BYTE, member(i), 0, MPI_COMM_WORLD, &requests[i]);
    }
    request_count = group->count;
}
static void send(struct Complex* to, const struct Complex* from, size_t bytes, int pe) {
    (void)to;
    MPI_Isend(from, (int)bytes, MPI_BYTE, pe, 0, MPI_COMM_WORLD, &requests[request_count++]);
}
static void wait_for_all(void) { MPI_Waitall(request_count, requests, statuses); }

int main(int argc, char** argv) {
    static const struct Exchange kWays[] = {
        {"ft_windows", 0, create_window, post_and_start, put, complete_and_wait, free_window},
        {"ft_windows_overlap", 1, create_window, post_and_start, put, complete_and_wait,
         free_window},
        {"ft_messages", 0, NULL, receive, send, wait_for_all, NULL},
    };
    begin(argc, argv);
    if (npes > kGroupMax) give_up("ft_mpi: at most %d processes", kGroupMax);
    ft_run(kWays, 3);
    end();
    return 0;
}
