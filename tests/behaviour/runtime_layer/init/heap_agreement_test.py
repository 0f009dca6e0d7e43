# SPDX-License-Identifier: BSD-3-Clause
"""Would break: the nodes of a job without oshrun take default heaps of different sizes, or a PE of
the node with more memory stores behind the heap that they have agreed on.

Usage: heap_agreement_test.py HEAP_AGREEMENT LESS_MEMORY.
"""
import os
import subprocess
import sys
import unittest

LESS_MEMORY, PROGRAM = sys.argv.pop(), sys.argv.pop()
LIMIT_SECONDS = 120
# Memory of PE 0's node, and of PE 1's. With two PEs a host, a quarter is a symmetric heap,
# and team memory and local memory have the same size. So the range ends at 0.75 GiB, not at 3 GiB.
MEMORY_GIB = (1, 4)


def start(pe, unique_id, gib):
    settings = {name: value for name, value in os.environ.items()
                if not name.startswith(("SHMEM_", "PMI", "TESSERA_JOB"))}
    settings |= {"SHMEM_VIRTUAL_NODES": "2", "LD_PRELOAD": os.path.basename(LESS_MEMORY),
                 "LD_LIBRARY_PATH": os.path.dirname(LESS_MEMORY),  # A space in it does no harm.
                 "MEMORY_GIB": str(MEMORY_GIB[pe])}
    return subprocess.Popen([PROGRAM, str(pe), unique_id, str(gib)], env=settings, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(gib):
    first = start(0, "make", gib)
    second = start(1, first.stdout.readline().strip(), gib)
    try:
        ends = [process.communicate(timeout=LIMIT_SECONDS) for process in (first, second)]
    finally:
        first.kill()
        second.kill()
    return first.returncode, second.returncode, ends[1][0], ends[1][1]


class HeapAgreement(unittest.TestCase):
    def test_a_store_to_the_heap(self):
        self.assertEqual(run(0), (0, 0, "stored\n", ""))

    def test_a_store_behind_the_smaller_heap(self):
        status, second, output, errors = run(2)
        self.assertEqual((status, second, output), (1, 1, ""), errors)
        self.assertRegex(errors, r"shmem_long_p: address 0x\w+ is not symmetric")


if __name__ == "__main__":
    unittest.main()
