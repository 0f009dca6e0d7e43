// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART (Zhou 2016, figures 6.6 to 6.11). MPI_Wait completes a put at
// its origin only, so a flush follows, as in dart_wait.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/transfer_measure.h"

static MPI_Win window;
static int target;
static MPI_Request requests[kHandles];

static void aim_at(int unit) { target = unit; }

static void start_put(size_t bytes, MPI_Request* request) {
    const int count = (int)(bytes / 8);
    MPI_Rput(local, count, MPI_LONG, target, 0, count, MPI_LONG, window, request);
}

static void put(long calls, size_t bytes) {
    const int count = (int)(bytes / 8);
    for (long i = 0; i < calls; ++i) {
        MPI_Put(local, count, MPI_LONG, target, 0, count, MPI_LONG, window);
        MPI_Win_flush(target, window);
    }
}
static void get(long calls, size_t bytes) {
    const int count = (int)(bytes / 8);
    for (long i = 0; i < calls; ++i) {
        MPI_Get(local, count, MPI_LONG, target, 0, count, MPI_LONG, window);
        MPI_Win_flush(target, window);
    }
}
static void put_handle(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        start_put(bytes, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Win_flush(target, window);
    }
}
static void get_handle(long calls, size_t bytes) {
    const int count = (int)(bytes / 8);
    for (long i = 0; i < calls; ++i) {
        MPI_Rget(local, count, MPI_LONG, target, 0, count, MPI_LONG, window, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
}
static void put_start(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kHandles; ++j) start_put(bytes, &requests[j]);
        MPI_Waitall(kHandles, requests, MPI_STATUSES_IGNORE);
        MPI_Win_flush(target, window);
    }
}
static void put_window(long calls, size_t bytes) {
    const int count = (int)(bytes / 8);
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j)
            MPI_Put(local, count, MPI_LONG, target, 0, count, MPI_LONG, window);
        MPI_Win_flush(target, window);
    }
}
static void get_window(long calls, size_t bytes) {
    const int count = (int)(bytes / 8);
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j)
            MPI_Get(local, count, MPI_LONG, target, 0, count, MPI_LONG, window);
        MPI_Win_flush(target, window);
    }
}

int main(int argc, char** argv) {
    begin(argc, argv);
    mine = allocate_window(BYTES_MAX, 8, &window);
    begin_samples();
    measure_sizes();
    measure_distances();
    check_transfers();
    free(local);
    free_window(&window);
    end();
    return 0;
}
