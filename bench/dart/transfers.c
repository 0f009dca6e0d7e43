// SPDX-License-Identifier: BSD-3-Clause
//
// What do put and get cost through DART, by size and by distance? transfer_rows.h has the rows.
#define _GNU_SOURCE
#include "bench/dart/transfer_rows.h"

int main(int argc, char** argv) {
    static const struct Row rows[] = {
        {"dart_put", put, NULL, 1, 0},
        {"dart_get", get, NULL, 1, 0},
        {"dart_put_handle", put_handle, NULL, 1, 0},
        {"dart_get_handle", get_handle, NULL, 1, 0},
        {"dart_put_start", put_start, NULL, kHandles, 0},
        {"dart_put_rate", put_window, NULL, kWindow, 1},
        {"dart_get_rate", get_window, NULL, kWindow, 1},
    };
    begin_transfers(argc, argv);
    measure_rows(rows, sizeof rows / sizeof rows[0]);
    measure_distances();
    end_transfers();
    return 0;
}
