#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much longer does a put take from Python than from C? Needs the binding shmem4py.

    chrt -r 10 oshrun -n 2 python3 bench/python/put.py [ROUNDS]

PE 0 puts arrays of several sizes to the last PE, in three ways that take turns in each round, with
the same arrays: shmem.put; the C function that the binding wraps (shmem4py.api.lib), with pointers
taken before; a loop in C, which oshcc compiles. The table has the medians of a put with its quiet,
and the medians of the ratios to C within a round.
"""
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from shmem4py import shmem
from shmem4py.api import ffi, lib

AIMS = {1 << 20: 1.2}  # shmem.put over C, by bytes.
SIZES = (8, 4096, 65536, 1 << 20, 4 << 20)
BATCH_BYTES = 16 << 20  # of one sample
LOOP = r"""
#include <shmem.h>
#include <time.h>
double put_in_c(double* dest, const double* source, size_t count, int pe, int repeats) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < repeats; i++) {
        shmem_double_put(dest, source, count, pe);
        shmem_quiet();
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec);
}
"""


def compiled_loop():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "loop.c")
        library = os.path.join(folder, "loop.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(LOOP)
        subprocess.run(["oshcc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        function = ctypes.CDLL(library).put_in_c
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                         ctypes.c_int]
    return function


def put_in_python(dest, source, pe, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        shmem.put(dest, source, pe)
        shmem.quiet()
    return time.perf_counter() - start


def put_by_pointers(dest, source, pe, repeats):
    count = dest.size
    dest, source = (ffi.from_buffer("double[]", it) for it in (dest, source))
    start = time.perf_counter()
    for _ in range(repeats):
        lib.shmem_double_put(dest, source, count, pe)
        lib.shmem_quiet()
    return time.perf_counter() - start


def measure(size, rounds, put_in_c, last):
    """Seconds of a put by the binding, by its C function, and from C, three for each round."""
    count = size // 8
    dest, source = shmem.zeros(count, dtype="d"), shmem.zeros(count, dtype="d")
    samples = []
    if shmem.my_pe() == 0:
        repeats = max(4, min(2000, BATCH_BYTES // size))
        source[:] = np.arange(count)
        for number in range(rounds + 1):
            times = (put_in_python(dest, source, last, repeats),
                     put_by_pointers(dest, source, last, repeats),
                     put_in_c(dest.ctypes.data, source.ctypes.data, count, last, repeats))
            if number > 0:  # The first round touches the memory.
                samples.append([it / repeats for it in times])
    shmem.barrier_all()
    if shmem.my_pe() == last and not np.array_equal(dest, np.arange(count)):
        print(f"put of {size} bytes: wrong data")
        shmem.global_exit(1)
    shmem.barrier_all()
    shmem.del_array(source)
    shmem.del_array(dest)
    return samples


def main(rounds=31):
    last = shmem.n_pes() - 1
    put_in_c = compiled_loop() if shmem.my_pe() == 0 else None
    if shmem.my_pe() == 0:
        print("    bytes   put us   lib us     C us   put/C   lib/C  aim")
    for size in SIZES:
        samples = measure(size, rounds, put_in_c, last)
        if samples:
            times = (1e6 * statistics.median(column) for column in zip(*samples))
            ratios = (statistics.median(it[way] / it[2] for it in samples) for way in (0, 1))
            print(f"{size:9}", *(f"{it:8.2f}" for it in times), *(f"{it:7.3f}" for it in ratios),
                  f" {AIMS.get(size, '')}", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
