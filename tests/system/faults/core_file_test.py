# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a core file of one PE has the heaps of all PEs of the node, whose untouched pages
the dump brings into being, until the node has no memory left. dumped.c says what belongs into it.

Usage: core_file_test.py OSHRUN DUMPED
"""
import os

from launching import OSHRUN, PROGRAMS, LaunchTest, main

CORE_BYTES_MAX = 64 << 20
SANITIZED = b"__asan_init"


class CoreFile(LaunchTest):
    def run_dumped(self, *options, code=0):
        return self.run_job(*options, PROGRAMS, *(["abort"] if code else []), code=code,
                            cwd=self.folder)

    def test_mappings(self):
        for options in (("-n", 1), ("-n", 3), ("-n", 4, "--virtual-nodes", 2)):
            with self.subTest(options):
                self.run_dumped(*options)

    def test_core_file(self):
        with open("/proc/sys/kernel/core_pattern") as file:
            pattern = file.read().strip()
        if pattern.startswith("|") or "/" in pattern:
            self.skipTest(f"core files go to {pattern}")
        with open(OSHRUN, "rb") as file:
            if SANITIZED in file.read():
                self.skipTest("sanitizers have shadow memory")
        self.run_dumped("-n", 2, code=128 + 6)
        cores = [entry for entry in os.scandir(self.folder) if entry.name.startswith(pattern[:4])]
        self.assertEqual(len(cores), 1, os.listdir(self.folder))
        self.assertLess(cores[0].stat().st_size, CORE_BYTES_MAX)
        os.remove(cores[0].path)


if __name__ == "__main__":
    main()
