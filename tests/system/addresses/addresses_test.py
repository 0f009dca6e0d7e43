# SPDX-License-Identifier: BSD-3-Clause
"""Would break: PEs whose heaps could lie at one address have them at several, a job goes on where
SHMEM_HEAP_ADDRESS demands more than can be had, or the reason is not told.

Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import platform
import re
import subprocess
import sys
import unittest

from launching import LaunchTest, main, program

CASES = program("address_cases")
FIRST, SECOND, THIRD = 0x300000000000, 0x180000000000, 0x4000000000
CHOSEN = 0x240000000000
# One node, and two virtual nodes.
LAYOUTS = ((), ("--virtual-nodes", "2"))


def taken(*places):
    return ",".join(f"{pe}:{address:#x}" for pe, address in places)


class AddressesTest(LaunchTest):
    def run_cases(self, npes, options=(), code=0, **variables):
        variables.setdefault("SHMEM_SYMMETRIC_SIZE", "4M")
        return self.run_job("-n", npes, *options, CASES, code=code,
                            environment=self.environment(**variables))

    def column(self, out, name):
        found = re.findall(rf"^PE (\d+): .*\b{name} (0x[0-9a-f]+)", out, re.M)
        return {int(pe): int(address, 16) for pe, address in found}

    def check_all_in(self, out, base, npes, size=4 << 20):
        heaps = self.column(out, "heap")
        self.assertEqual(sorted(heaps), list(range(npes)))
        self.assertEqual(len(set(heaps.values())), 1, heaps)
        self.assertTrue(base <= heaps[0] < base + size, (hex(heaps[0]), hex(base)))

    def test_the_first_address_is_the_default(self):
        for npes in (1, 2, 3, 5, 8):
            for options in LAYOUTS[:1] if npes == 1 else LAYOUTS:
                with self.subTest(npes=npes, options=options):
                    out, _ = self.run_cases(npes, options, SHMEM_INFO="1")
                    self.check_all_in(out, FIRST, npes)
                    self.assertIn("heap address       0x300000000000 on all PEs", out)

    def test_memory_that_software_keeps_coherent(self):
        for variables in ({"SHMEM_HEAP": "noncoherent-emulated"},
                          {"SHMEM_HEAP": "noncoherent-emulated", "TAKEN": taken((1, FIRST))}):
            out, _ = self.run_cases(3, **variables)
            self.check_all_in(out, SECOND if "TAKEN" in variables else FIRST, 3)

    def test_a_number(self):
        for options in LAYOUTS:
            out, _ = self.run_cases(4, options, SHMEM_HEAP_ADDRESS=hex(CHOSEN))
            self.check_all_in(out, CHOSEN, 4)

    def test_the_next_address_where_one_pe_has_something_at_the_first(self):
        for options in LAYOUTS:
            for pe in (0, 1, 3):
                with self.subTest(options=options, pe=pe):
                    out, _ = self.run_cases(4, options, TAKEN=taken((pe, FIRST)),
                                            SHMEM_HEAP_ADDRESS="same", REPEAT="1")
                    self.check_all_in(out, SECOND, 4)
            # Another PE has something at the second.
            out, _ = self.run_cases(4, options, TAKEN=taken((3, FIRST), (0, SECOND)))
            self.check_all_in(out, THIRD, 4)

    def test_any(self):
        for options in LAYOUTS:
            out, error = self.run_cases(2, options, code=1, SHMEM_HEAP_ADDRESS="any",
                                        SHMEM_INFO="1")
            self.assertIn("heap address       differs from PE to PE: SHMEM_HEAP_ADDRESS=any", out)
            self.assertEqual(len(set(self.column(out, "heap").values())), 2)
            self.assertRegex(error, r"\[pe 0\] shmem_long_p: address 0x[0-9a-f]+ is not symmetric: "
                                    r".*here the addresses differ from PE to PE")

    def test_none_is_free_on_all_pes(self):
        everything = taken((1, FIRST), (1, SECOND), (2, THIRD))
        for options in LAYOUTS:
            with self.subTest(options=options):
                out, _ = self.run_cases(3, options, SHMEM_INFO="1", TAKEN=everything,
                                        ADDRESSES_ONLY="1", REPEAT="1")
                self.assertRegex(out, r"heap address       differs from PE to PE: on PE \d "
                                      r"0x[0-9a-f]+: memory without a name at \[0x[0-9a-f]+, ")
                out, error = self.run_cases(3, options, SHMEM_HEAP_ADDRESS="same", TAKEN=everything,
                                            code=1)
                self.assertEqual(out, "")
                self.assertRegex(
                    error, r"\[pe 2\] shmem_init: SHMEM_HEAP_ADDRESS=same: the heap of this PE "
                           r"cannot lie where all PEs' could: 0x4000000000: memory without a name "
                           r"at \[0x4000000000, 0x4000001000\); free these addresses")

    def test_a_number_that_is_taken(self):
        for options in LAYOUTS:
            for pe in (0, 2):
                out, error = self.run_cases(3, options, SHMEM_HEAP_ADDRESS=hex(CHOSEN), code=1,
                                            TAKEN=taken((pe, CHOSEN)))
                self.assertEqual(out, "")
                self.assertRegex(error, rf"\[pe {pe}\] shmem_init: SHMEM_HEAP_ADDRESS={CHOSEN:#x}: "
                                        rf".*{CHOSEN:#x}: memory without a name at \[{CHOSEN:#x}, ")

    def test_bad_numbers(self):
        _, error = self.run_cases(2, code=1, SHMEM_HEAP_ADDRESS="0x240000001000")
        self.assertIn("take a multiple of 0x400000 for heaps of this size", error)
        _, error = self.run_cases(2, code=1, SHMEM_HEAP_ADDRESS="0x7ffffffffff00000")
        self.assertRegex(error, "take a multiple of|too few addresses")
        _, error = self.run_cases(2, code=1, SHMEM_HEAP_ADDRESS="0x400000")
        self.assertIn("[pe 1] shmem_init: SHMEM_HEAP_ADDRESS=0x400000: ", error)
        for text in ("0x", "12", "0x0", "0x12g", "equal"):
            _, error = self.run_cases(2, code=1, SHMEM_HEAP_ADDRESS=text)
            self.assertIn(f"SHMEM_HEAP_ADDRESS={text} is not a valid setting; allowed: auto, same, "
                          "any, or an address in hexadecimal", error)

    def test_pes_with_different_settings(self):
        _, error = self.run_job("-n", 2, "/bin/sh", "-c",
                                "SHMEM_HEAP_ADDRESS=$( [ $SHMEM_MY_PE = 0 ] && echo any || echo "
                                "same ) exec \"$0\"", CASES, code=1)
        self.assertRegex(error, "SHMEM_HEAP_ADDRESS is (any|same) here, but")

    def test_no_aslr(self):
        out, _ = self.run_cases(4, ("--no-aslr",), ADDRESSES_ONLY="1")
        self.assertEqual(len(set(self.column(out, "static").values())), 1)
        self.assertEqual(len(set(self.column(out, "main").values())), 1)


class DoctorTest(unittest.TestCase):
    def test_the_doctor_knows(self):
        out = subprocess.run([program("osh_info"), "--doctor"], stdout=subprocess.PIPE, text=True,
                             check=False).stdout
        self.assertIn("0x300000000000", out)


if __name__ == "__main__":
    if platform.machine() not in ("x86_64", "aarch64"):
        sys.exit(77)
    main()
