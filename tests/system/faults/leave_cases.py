# SPDX-License-Identifier: BSD-3-Clause
"""A Python program for leave_test.py: leave_cases.py LIBRARY HOW. Its children leave as Python
programs do, with the library's state of their parent in them."""
import ctypes
import multiprocessing
import os
import sys

ROUNDS = 3
EXIT_CODE = 7
WORDS = 8192


def fork_and_exit():
    child = os.fork()
    if child == 0:
        sys.exit(EXIT_CODE)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def run_in_a_pool():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return EXIT_CODE if pool.map(abs, [-1, -2, -3]) == [1, 2, 3] else 1


def run_a_process():
    process = multiprocessing.get_context("fork").Process(target=sys.exit, args=(EXIT_CODE,))
    process.start()
    process.join()
    return process.exitcode


def main():
    shmem = ctypes.CDLL(sys.argv[1])
    leave = {"fork": fork_and_exit, "pool": run_in_a_pool, "process": run_a_process}[sys.argv[2]]
    shmem.shmem_malloc.restype = ctypes.c_void_p
    shmem.shmem_malloc.argtypes = [ctypes.c_size_t]
    shmem.shmem_long_put.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                     ctypes.c_int]
    shmem.shmem_init()
    me, npes = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    place = shmem.shmem_malloc(WORDS * 8)
    words = (ctypes.c_long * WORDS).from_address(place)
    for round_number in range(ROUNDS):
        code = leave()
        assert code == EXIT_CODE, f"pe {me}: the child ended with {code}"
        mine = (ctypes.c_long * WORDS)(*[round_number * 1000 + me] * WORDS)
        shmem.shmem_long_put(place, mine, WORDS, (me + 1) % npes)
        shmem.shmem_barrier_all()
        assert set(words) == {round_number * 1000 + (me - 1) % npes}, f"pe {me}: wrong data"
        shmem.shmem_barrier_all()
    print(f"pe {me} intact", flush=True)
    shmem.shmem_finalize()


if __name__ == "__main__":
    main()
