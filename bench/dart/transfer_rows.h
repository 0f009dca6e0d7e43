// SPDX-License-Identifier: BSD-3-Clause
//
// The transfers of transfer_measure.h through DART, for transfers.c and overhead.c.
#pragma once

#include "bench/dart/dart_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/transfer_measure.h"

static dart_gptr_t target;
static dart_handle_t handles[kHandles];

static void aim_at(int unit) { NEED(dart_gptr_setunit(&target, DART_TEAM_UNIT_ID(unit))); }

static void put(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i)
        dart_put_blocking(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
}
static void get(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i)
        dart_get_blocking(local, target, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
}
static void put_handle(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        dart_put_handle(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG, handles);
        dart_wait(handles);
    }
}
static void get_handle(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        dart_get_handle(local, target, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG, handles);
        dart_wait(handles);
    }
}
static void put_start(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kHandles; ++j)
            dart_put_handle(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG, &handles[j]);
        dart_waitall(handles, kHandles);
    }
}
static void put_window(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j)
            dart_put(target, local, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush(target);
    }
}
static void get_window(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i) {
        for (int j = 0; j < kWindow; ++j)
            dart_get(local, target, bytes / 8, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush(target);
    }
}

static inline void begin_transfers(int argc, char** argv) {
    begin(argc, argv);
    target = allocate(BYTES_MAX);
    mine = own_part(target);
    begin_samples();
}

static inline void end_transfers(void) {
    check_transfers();
    free(local);
    NEED(dart_team_memfree(target));
    end();
}
