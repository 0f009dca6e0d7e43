// SPDX-License-Identifier: BSD-3-Clause
//
// What do put and get cost through a DART that stands on OpenSHMEM, more than OpenSHMEM itself? The
// rows of transfer_measure.h, by turns with the same in plain OpenSHMEM on the same memory, as
// their limits: put and quiet for a blocking put, requests for handles. dart_put_alone compares a
// blocking put with one that nothing completes.
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/dart/transfer_rows.h"

static char* symmetric;  // the target for OpenSHMEM
static int pe;
static shmemx_req_t reqs[kHandles];
static void shmem_put_quiet(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        shmem_putmem(symmetric, local, bytes, pe);
        shmem_quiet();
    }
}
static void shmem_put_alone(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) shmem_putmem(symmetric, local, bytes, pe);
}
static void shmem_get_alone(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) shmem_getmem(local, symmetric, bytes, pe);
}
static void shmem_put_wait(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        shmemx_putmem_req(symmetric, local, bytes, pe, reqs);
        shmemx_req_wait(reqs, SHMEMX_REMOTE);
    }
}
static void shmem_get_wait(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        shmemx_getmem_req(local, symmetric, bytes, pe, reqs);
        shmemx_req_wait(reqs, SHMEMX_REMOTE);
    }
}
static void shmem_put_start(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kHandles; ++j) shmemx_putmem_req(symmetric, local, bytes, pe, &reqs[j]);
        shmemx_req_waitall(reqs, kHandles, SHMEMX_REMOTE);
    }
}
static void shmem_put_window(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j) shmem_putmem_nbi(symmetric, local, bytes, pe);
        shmem_quiet();
    }
}
static void shmem_get_window(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j) shmem_getmem_nbi(local, symmetric, bytes, pe);
        shmem_quiet();
    }
}

int main(int argc, char** argv) {
    static const struct Row rows[] = {
        {"dart_put", put, shmem_put_quiet, 1, 0},
        {"dart_put_alone", put, shmem_put_alone, 1, 0},
        {"dart_get", get, shmem_get_alone, 1, 0},
        {"dart_put_handle", put_handle, shmem_put_wait, 1, 0},
        {"dart_get_handle", get_handle, shmem_get_wait, 1, 0},
        {"dart_put_start", put_start, shmem_put_start, kHandles, 0},
        {"dart_put_rate", put_window, shmem_put_window, kWindow, 1},
        {"dart_get_rate", get_window, shmem_get_window, kWindow, 1},
    };
    begin_transfers(argc, argv);
    symmetric = mine;
    pe = npes - 1;
    measure_rows(rows, sizeof rows / sizeof rows[0]);
    end_transfers();
    return 0;
}
