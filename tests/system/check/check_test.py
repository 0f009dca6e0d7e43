# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong program that oshrun --check does not explain, with the call, its line and
the object, or does not end with a nonzero code; a right one that it complains of.

The programs are the cases of *_cases.c; right_cases.c has the right ones. Run like the launch
tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import re

import cases
import race_reports
from launching import LaunchTest, main, program

NPES = 3


class Check(LaunchTest):
    def run_case(self, kind, case, code, *options, **variables):
        variables.setdefault("SHMEM_SYMMETRIC_SIZE", "16M")
        return self.run_job("-n", NPES, "--check", *options, program(f"check_{kind}_cases"), case,
                            code=code, environment=self.environment(**variables))

    def check_report(self, kind, case, expected, error):
        """`expected`: the mistake, and what the lines below it say."""
        mistake, *lines = expected
        reports = re.split(r"^(?=\[pe \d\])", error, flags=re.M)[1:]
        for report in reports:
            if re.match(rf"\[pe \d\] check: {mistake}\n", report):
                break
        else:
            self.fail(f"{kind} {case}: no report of '{mistake}' in:\n{error}")
        for line in lines:
            self.assertRegex(report, line.replace("@", rf"(at|by) {case} \({kind}_cases.c:\d+\)")
                             .replace("%", r"(at|by) (main|run_case) \(cases.h:\d+\)"))

    def check_kind(self, kind, *options, **variables):
        for case, expected in cases.REPORTS[kind].items():
            with self.subTest(kind=kind, case=case):
                _, error = self.run_case(kind, case, 1, *options, **variables)
                self.check_report(kind, case, expected, error)

    def test_collectives(self):
        self.check_kind("collective")

    def test_memory(self):
        self.check_kind("memory")

    def test_state(self):
        self.check_kind("state")

    def test_extensions(self):
        self.check_kind("shmemx")

    def test_threads(self):
        self.check_kind("thread")
        for case in cases.RIGHT_THREADS:
            with self.subTest(case=case):
                _, error = self.run_case("thread", case, 0)
                self.assertEqual(error, "")

    def test_right(self):
        """Not even a note: the programs free and destroy what they make."""
        for npes, nodes in ((1, 1), (2, 1), (3, 1), (5, 1), (4, 2)):
            for case in race_reports.cases_of("right_cases.c"):
                with self.subTest(case=case, npes=npes, nodes=nodes):
                    _, error = self.run_job(
                        "-n", npes, "--virtual-nodes", nodes, "--check",
                        program("check_right_cases"), case,
                        environment=self.environment(SHMEM_SYMMETRIC_SIZE="16M"))
                    self.assertEqual(error, "")

    def test_collectives_on_several_nodes(self):
        self.check_kind("collective", "--virtual-nodes", 3)

    def test_some_on_several_nodes(self):
        for kind, case in (("memory", "put_after_free"), ("memory", "remote_store_past_block"),
                           ("memory", "overlap_on_self"), ("state", "clear_by_another"),
                           ("state", "team_after_destroy"), ("shmemx", "team_put_after_free"),
                           ("shmemx", "team_get_after_destroy"), ("shmemx", "indexed_past_block")):
            with self.subTest(kind=kind, case=case):
                _, error = self.run_case(kind, case, 1, "--virtual-nodes", 2)
                self.check_report(kind, case, cases.REPORTS[kind][case], error)

    def test_notes(self):
        """The checker tells of objects that finalize frees; they are no mistake."""
        for kind, notes in cases.NOTES.items():
            for case, expected in notes.items():
                with self.subTest(kind=kind, case=case):
                    _, error = self.run_case(kind, case, 0)
                    self.check_report(kind, case, expected, error)
                    self.assertEqual(error.count("check:"), 1, error)

    def test_warn(self):
        """The job goes on, and tells the same mistake of a call once."""
        _, error = self.run_case("memory", "past_static", 0, SHMEM_CHECK="warn")
        self.assertEqual(error.count("check:"), NPES, error)

    def test_variable(self):
        _, error = self.run_job("-n", NPES, program("check_state_cases"), "clear_of_free_lock",
                                code=1, environment=self.environment(SHMEM_CHECK="1"))
        self.assertIn("check: a PE releases a lock", error)

    def test_off(self):
        _, error = self.run_job("-n", NPES, program("check_memory_cases"), "leaked_block")
        self.assertEqual(error, "")

    def test_without_the_checker(self):
        """A PE that another launcher starts, without LD_PRELOAD."""
        _, error = self.run_job("shmem_finalize", launcher=[program("check_state_cases")], code=1,
                                environment=self.environment(SHMEM_CHECK="1"))
        self.assertRegex(error, "has not loaded the checker: .* oshrun --check.* LD_PRELOAD")

    def test_bad_value(self):
        _, error = self.run_job("x", launcher=[program("check_state_cases")], code=1,
                                environment=self.environment(SHMEM_CHECK="often"))
        self.assertIn("SHMEM_CHECK=often is none of", error)

    def test_other_programs(self):
        """A script does not become a PE, nor fail."""
        out, error = self.run_job("-n", 2, "--check", "sh", "-c", "echo $SHMEM_CHECK")
        self.assertEqual((out, error), ("1\n1\n", ""))

    def test_list(self):
        """Each case of the programs has an expected report."""
        folder = os.path.dirname(os.path.abspath(__file__))
        for kind, reports in cases.REPORTS.items():
            with open(f"{folder}/{kind}_cases.c", encoding="utf-8") as file:
                written = re.findall(r"^CASE\((\w+)\)", file.read(), flags=re.M)
            right = cases.RIGHT_THREADS if kind == "thread" else ()
            self.assertEqual(sorted(written),
                             sorted([*reports, *cases.NOTES.get(kind, ()), *right]))


if __name__ == "__main__":
    main()
