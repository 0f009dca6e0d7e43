// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is a three-dimensional Fourier transform (bench/apps/ft.h) by non-blocking puts between
// two barriers? The first one: all PEs have unpacked the last blocks; the second one: all blocks
// have arrived.
//
//   ft          a put for each PE of the row or column, behind the computation
//   ft_overlap  puts of pieces: the transform of the next piece goes on meanwhile; by turns with
//               the former
#define _GNU_SOURCE
#include <math.h>

#include "bench/measure.h"
// Uses functions of the header above.
#include "bench/apps/ft.h"

static void put(struct Complex* to, const struct Complex* from, size_t bytes, int pe) {
    shmem_putmem_nbi(to, from, bytes, pe);
}

int main(int argc, char** argv) {
    static const struct Exchange kWays[] = {
        {"ft", 0, NULL, shmem_barrier_all, put, shmem_barrier_all, NULL},
        {"ft_overlap", 1, NULL, shmem_barrier_all, put, shmem_barrier_all, NULL},
    };
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    ft_run(kWays, 2);
    end();
    return 0;
}
