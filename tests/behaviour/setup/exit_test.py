# SPDX-License-Identifier: BSD-3-Clause
"""Would break: shmem_global_exit does not end all PEs, from any state, or its code gets lost; a
program of start_pes without finalize does not end well; programs in one job are mixed up.

The programs are in exit_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import re

from launching import LaunchTest, main, program

CASES = program("exit_cases")
ERROR_CASES = program("error_cases")


class GlobalExit(LaunchTest):
    def test_whatever_the_others_do(self):
        for case in ("busy", "lock", "before", "after", "between", "thread"):
            for code in (0, 7, 255):
                for npes in (1, 2, 5):
                    with self.subTest(f"{case} {code} {npes}"):
                        out, error = self.run_job("-n", npes, CASES, case, code, code=code)
                        self.assertEqual(out, "")
                        if code == 0:
                            self.assertEqual(error, "")

    def test_several_at_once(self):
        for npes in (2, 4, 8):
            process = self.start("-n", npes, CASES, "all")
            process.communicate(timeout=60)
            self.assertIn(process.returncode, range(10, 10 + npes))

    def test_output_is_flushed(self):
        out, _ = self.run_job("-n", 3, CASES, "flush", 4, code=4)
        self.assertEqual(out, "last words")

    def test_without_launcher(self):
        for case in ("before", "after", "between", "thread", "flush"):
            with self.subTest(case):
                self.run_job(case, 9, launcher=[CASES], code=9)


class StartPes(LaunchTest):
    def test_finalizes_at_the_end_of_main(self):
        for npes in (1, 2, 5):
            out, error = self.run_job("-n", npes, CASES, "start_pes")
            self.assertEqual(sorted(out.splitlines()), [f"pe {pe} got 7" for pe in range(npes)])
            self.assertEqual(error, "")
            _, error = self.run_job("-n", npes, CASES, "skewed")
            self.assertEqual(error, "")

    def test_with_other_calls(self):
        _, error = self.run_job("-n", 3, CASES, "start_pes_finalize")
        self.assertEqual(error, "")
        out, error = self.run_job("-n", 3, CASES, "start_pes_twice")
        self.assertEqual(sorted(out.splitlines()), [f"pe {pe}" for pe in range(3)])
        self.assertEqual(error, "")
        self.run_job("-n", 3, CASES, "start_pes_global_exit", 6, code=6)
        self.run_job("-n", 3, CASES, "start_pes_code", 5, code=5)


class Programs(LaunchTest):
    def test_codes_after_finalize(self):
        self.run_job("-n", 3, CASES, "codes", 11, code=11)
        self.run_job("-n", 3, CASES, "codes", 0)

    def test_pe_of_another_program_is_not_accessible(self):
        out, error = self.run_job("-n", 2, CASES, "programs", ":", "-n", 1, ERROR_CASES, "nothing")
        self.assertEqual(error, "")
        expected = [f"{me}: pe {pe} is {int(pe < 2)}, static {int(pe < 2)}"
                    for me in range(2) for pe in range(3)]
        self.assertEqual(sorted(out.splitlines()), expected)

    def test_static_data_of_another_program(self):
        _, error = self.run_job("-n", 1, CASES, "programs", ":", "-n", 1, ERROR_CASES, "pe_static",
                                code=1)
        self.assertRegex(error, r"(?m)^\[pe 1\] shmem_long_p: 0x[0-9a-f]+ is static data, and PE 0 "
                                "runs another program, so it has no such variable; use memory from "
                                "shmem_malloc between different programs$")
        self.assertEqual(len(re.findall(r"\[pe 1\]", error)), 1, error)


if __name__ == "__main__":
    main()
