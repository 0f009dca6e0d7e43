# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong coarray program that cafrun --check does not explain, with the statements'
lines; a right one of which it says anything, blocks that are "not freed" included.

The programs are the cases of coarray_cases.f90. Run like the launch tests: OSHRUN
FOLDER_OF_PROGRAMS.
"""
import os
import re

from launching import LaunchTest, main, program

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coarray_cases.f90")
LAYOUTS = ((3, 1), (3, 3))
TWO_WRITE = "two PEs write the same memory at the same time"
READS = "one PE reads memory while another PE writes it"
LENGTHS = "collective calls do not match: the number of elements is "
# The mistake, and the letters of its lines, in any order.
REPORTS = {
    "put_put": (TWO_WRITE, "aa"),
    "put_put_on_itself": (TWO_WRITE, "aa"),
    "put_get": (READS, "ab"),
    "sections": (TWO_WRITE, "ab"),
    "large": (TWO_WRITE, "ab"),
    "one_lock": (TWO_WRITE, "ab"),
    "allocated": (TWO_WRITE, "aa"),
    "sum": (LENGTHS, "c"),
    "large_sum": (LENGTHS, "c"),
}
# The runtime's own message, with and without --check.
BROADCASTS = ("broadcast", "large_broadcast")


def lines_in(case):
    """The lines of the case with their letters. Collectives stand in procedures of their own."""
    found, is_case = {}, False
    with open(SOURCE, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if re.match(r" *(case|end select)\b", text):
                is_case = f"'{case}'" in text
            letter = re.search("! HERE (.)", text)
            if letter and (is_case or letter[1] in "cd"):
                found[letter[1]] = number
    return found


class Coarrays(LaunchTest):
    def run_case(self, case, code, npes, nodes, *options):
        return self.run_job("-n", npes, "--virtual-nodes", nodes, *options,
                            program("check_coarray_cases"), case, code=code)

    def check_case(self, case, npes, nodes):
        """A run in which the images came one after the other by chance shows no race."""
        mistake, letters = REPORTS[case]
        for _ in range(10):
            _, error = self.run_case(case, (0, 1), npes, nodes, "--check")
            if error:
                break
        self.assertIn(f"check: {mistake}", error)
        lines = lines_in(case)
        for letter in letters:
            self.assertIn(f"(coarray_cases.f90:{lines[letter]})", error)
        if mistake != LENGTHS:
            named = sorted(re.findall(r"PE \d (?:reads|writes) it: .*[.]f90:(\d+)", error))
            expected = sorted(str(lines[letter]) for letter in letters)
            self.assertEqual(named[:2] if len(named) > 2 else named, expected, error)

    def test_reports(self):
        for npes, nodes in LAYOUTS:
            for case in REPORTS:
                with self.subTest(case=case, npes=npes, nodes=nodes):
                    self.check_case(case, npes, nodes)

    def test_lengths_of_broadcasts(self):
        for npes, nodes in LAYOUTS:
            for case in BROADCASTS:
                for options in ((), ("--check",)):
                    with self.subTest(case=case, nodes=nodes, options=options):
                        _, error = self.run_case(case, 1, npes, nodes, *options)
                        self.assertIn("give it the same shape on all images before", error)
                        self.assertIn(f"(coarray_cases.f90:{lines_in(case)['d']})", error)

    def test_right(self):
        for npes, nodes in ((1, 1), (2, 1), (3, 1), (5, 1), (4, 2), (3, 3)):
            with self.subTest(npes=npes, nodes=nodes):
                output, error = self.run_case("right", 0, npes, nodes, "--check")
                self.assertEqual((output, error), ("passed\n", ""))


if __name__ == "__main__":
    main()
