// SPDX-License-Identifier: BSD-3-Clause
//
// What do put and get cost through DART, by size and by distance? transfer_measure.h has the rows.
#define _GNU_SOURCE
#include "bench/dart/transfer_rows.h"

int main(int argc, char** argv) {
    begin_transfers(argc, argv);
    measure_sizes();
    measure_distances();
    end_transfers();
    return 0;
}
