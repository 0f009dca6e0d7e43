# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a race of loads and stores that oshrun --check does not find in a program that oshcc
--check has compiled; a right program in which it sees a race; a program that is compiled so and
does not run, or not right, without --check.

The programs are the cases of load_cases.c (wrong) and ordered_load_cases.c (right), those of
load_programs.py, and the examples. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

from launching import HANG_SECONDS, OSHRUN, main
from load_programs import CXX, FORTRAN
from race_reports import (DEST, FOLDER, INCOMPLETE, MIXED, OWN_READ, READS, SOURCE, TEAM_MEMORY,
                          TWO_WRITE, RaceTest, cases_of, marked_lines)

EXAMPLES = os.path.join(FOLDER, "../../../examples")
BUILT_WITH_TESSERA = os.path.dirname(OSHRUN)

# The mistake, and the memory that the report names ("": that of a transfer, which has no line).
RACES = {
    "load_of_put": (READS, "the variable data, on PE 1"),
    "store_and_put": (TWO_WRITE, r"the variable data\+24, on PE 1"),
    "store_and_get": (READS, r"the variable data\+24, on PE 1"),
    "polled_flag": (READS, "the variable flag, on PE 1"),
    "nbi_source_stored": (SOURCE, ""),
    "nbi_source_in_private_memory": (SOURCE, ""),
    "nbi_source_on_the_stack": (SOURCE, ""),
    "nbi_dest_loaded": (DEST, ""),
    "own_put_then_load": (OWN_READ, r"the variable data\+16, on PE 0"),
    "sync_is_no_barrier": (INCOMPLETE, "the variable data, on PE 1"),
    "flag_without_fence": (INCOMPLETE, "the variable data, on PE 1"),
    "signal_not_waited_for": (READS, r"the variable data\+32, on PE 1"),
    "store_after_flag": (READS, "the variable data, on PE 0"),
    "memcpy_of_put": (READS, r"the variable data\+56, on PE 1"),
    "memset_under_get": (READS, "the variable data, on PE 1"),
    "struct_copy": (READS, r"the variable from(\.\d+)?\+72, on PE 1"),
    "half_words": (READS, r"the variable pair(\.\d+)?\+4, on PE 1"),
    "atomic_and_store": (MIXED, "the variable data, on PE 1"),
    "atomic_and_load": (MIXED, "the variable data, on PE 1"),
    "lock_on_one_side": (TWO_WRITE, "the variable data, on PE 1"),
    "heap": (TWO_WRITE, "byte 8 of the block of 64 bytes that shmem_malloc at heap .*, on PE 1"),
    "ptr_store_and_store": (TWO_WRITE, r"the variable data\+16, on PE 1"),
    "ptr_load_and_store": (READS, r"the variable data\+16, on PE 1"),
    "ptr_of_two": (TWO_WRITE, r"the variable data\+40, on PE 1"),
    "ptr_of_heap": (READS, "byte 8 of the block of 64 bytes .*, on PE 1"),
    "ptr_atomic_and_store": (MIXED, "the variable data, on PE 1"),
}

FREED = "freed symmetric memory is used"
OUTSIDE = "a load or store goes outside a symmetric block"
BLOCK = r"the block of 80 bytes that shmem_[mc]alloc at \w+ \(load_cases.c"
# The report's first line, and what the lines below it contain.
MEMORY = {
    "store_after_free": (FREED, "a store at .* writes 8 bytes", BLOCK),
    "load_after_free": (FREED, "a load at .* reads 8 bytes", BLOCK),
    "store_past_block": (OUTSIDE, "a store at .* writes 8 bytes", BLOCK),
    "load_before_block": (OUTSIDE, "a load at .* reads 8 bytes", "8 bytes before its start"),
    "ptr_store_past_block": (OUTSIDE, "a store at .* writes 8 bytes on PE 1", BLOCK),
}


class Loads(RaceTest):
    @classmethod
    def setUpClass(cls):
        cls.build = tempfile.mkdtemp(prefix="check-loads-")
        cls.addClassCleanup(shutil.rmtree, cls.build)
        for name in ("load_cases", "ordered_load_cases"):
            cls.compile("oshcc", "-O1", f"{FOLDER}/{name}.c", "-o", f"{cls.build}/{name}")

    @staticmethod
    def compile(wrapper, *arguments, **variables):
        done = subprocess.run([f"{BUILT_WITH_TESSERA}/{wrapper}", "--check", *arguments],
                              env=dict(os.environ, **variables), capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 or done.stderr != "":
            raise AssertionError(f"{wrapper} {' '.join(arguments)}: {done.stderr}")

    def run_case(self, name, case, code, npes, *options, **variables):
        return self.run_checked(f"{self.build}/{name}", case, code, npes, *options, **variables)

    def check_races(self, npes, *options, **variables):
        for case, expected in RACES.items():
            if options and case.startswith("ptr_"):
                continue
            with self.subTest(case=case, npes=npes, options=options):
                error = self.run_case("load_cases", case, 1, npes, *options, **variables)
                self.check_report("load_cases.c", case, expected, error)

    def check_ordered(self, npes, *options, **variables):
        for case in cases_of("ordered_load_cases.c"):
            if options and case.startswith("ptr_"):
                continue
            with self.subTest(case=case, npes=npes, options=options):
                error = self.run_case("ordered_load_cases", case, 0, npes, *options, **variables)
                self.assertEqual(error, "")

    def test_races_on_a_node(self):
        self.check_races(2)
        self.check_races(4)

    def test_races_on_several_nodes(self):
        self.check_races(4, "--virtual-nodes", 2)

    def test_races_by_team_memory(self):
        self.check_races(2, "--virtual-nodes", 2, **TEAM_MEMORY)

    def test_ordered_on_a_node(self):
        for npes in (2, 3, 4):
            self.check_ordered(npes)

    def test_ordered_on_several_nodes(self):
        self.check_ordered(4, "--virtual-nodes", 2)
        self.check_ordered(2, "--virtual-nodes", 2, **TEAM_MEMORY)

    def test_memory(self):
        for case, (mistake, *lines) in MEMORY.items():
            with self.subTest(case=case):
                error = self.run_case("load_cases", case, 1, 2)
                self.assertRegex(error, rf"\[pe \d\] check: {mistake}\n")
                for line in lines:
                    self.assertRegex(error, line)
                number, = marked_lines(cases_of("load_cases.c")[case], "A")
                self.assertIn(f"(load_cases.c:{number})", error)

    def test_list(self):
        """Each case has an expected report."""
        self.assertEqual(sorted(cases_of("load_cases.c")), sorted([*RACES, *MEMORY]))

    def test_without_check(self):
        """A program that is compiled so runs as any other."""
        for case in cases_of("ordered_load_cases.c"):
            _, error = self.run_job("-n", 2, f"{self.build}/ordered_load_cases", case)
            self.assertEqual(error, "")

    def check_program(self, path, source, name):
        """A program of load_programs.py."""
        self.run_job("-n", 2, path, "right")
        self.run_job("-n", 2, "--check", path, "right")
        _, error = self.run_job("-n", 2, "--check", path, "wrong", code=1)
        self.assertRegex(error, f"check: {READS}\n")
        for mark in "AB":
            number, = (i for i, line in enumerate(source.split("\n"), 1) if line.endswith(mark))
            if mark == "A":  # the loads may lie in a function of the language's library
                self.assertIn(f"({name}:{number})", error)
        self.assertRegex(error, r"it: a load at ")

    def compile_text(self, wrapper, name, source, **variables):
        text, path = f"{self.build}/{name}", f"{self.build}/{name}.out"
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        self.compile(wrapper, "-O2", "-c", text, "-o", path + ".o", **variables)
        self.compile(wrapper, path + ".o", "-o", path, **variables)
        self.check_program(path, source, name)

    def test_cxx(self):
        self.compile_text("oshc++", "loads.cpp", CXX)

    def test_fortran(self):
        if not os.path.exists(f"{BUILT_WITH_TESSERA}/oshfort"):
            self.skipTest("no oshfort in this build")
        self.compile_text("oshfort", "loads.f90", FORTRAN)

    def test_clang(self):
        if shutil.which("clang") is None:
            self.skipTest("no clang")
        self.compile("oshcc", "-O2", f"{FOLDER}/load_cases.c", "-o", f"{self.build}/by_clang",
                     OSHCC_CC="clang")
        for case in ("load_of_put", "memcpy_of_put", "struct_copy", "ptr_store_and_store"):
            error = self.run_checked(f"{self.build}/by_clang", case, 1, 2)
            self.assertRegex(error, "check: " + RACES[case][0])

    def test_static_library(self):
        """There is nothing to check in a statically linked program, so the wrapper says so."""
        done = subprocess.run([f"{BUILT_WITH_TESSERA}/oshcc", "--check", "-static-libtessera",
                               "x.c"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--check needs the shared library", done.stderr)

    def test_examples(self):
        """The examples are right: no report."""
        # By default hash_chains makes 100,000 gets between nodes: a minute where cores are busy.
        arguments = {"wordcount": [f"{EXAMPLES}/wordcount.c"], "heat2d": ["64", "20"],
                     "hash_chains": ["100"]}
        folders = (EXAMPLES, f"{EXAMPLES}/chapters")
        for source in sorted(os.path.join(folder, name) for folder in folders
                             for name in os.listdir(folder) if name.endswith(".c")):
            name = os.path.basename(source)[:-2]
            with self.subTest(example=name):
                path = f"{self.build}/{name}"
                self.compile("oshcc", "-O2", source, "-o", path)
                for options in (["-n", 2], ["-n", 4, "--virtual-nodes", 2]):
                    _, error = self.run_job(*options, "--check", path, *arguments.get(name, []),
                                            cwd=self.build)
                    # A note is no report.
                    self.assertNotRegex(error, "check: (?!note)")


if __name__ == "__main__":
    main()
