# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a shmem_finalize without its init ends the job; what a PE has printed is lost when
the job ends, or printing it holds up the end.

The programs are in finalize_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import subprocess

from support import HANG_SECONDS, LaunchTest, main, program

CASES = program("finalize_cases")
UNMATCHED = r"(\[pe \d\] )?shmem_finalize: without a matching shmem_init, so it does nothing"
LARGE_BYTES = 200000  # as in finalize_cases.c


class UnmatchedFinalize(LaunchTest):
    CASES = {"finalize_before_init": 2, "finalize_twice": 2, "finalize_only": 1,
             "finalize_in_child": 1}

    def test_does_nothing(self):
        for case in self.CASES:
            for npes in (1, 2, 5):
                with self.subTest(f"{case} {npes}"):
                    out, error = self.run_job("-n", npes, CASES, case)
                    self.assertEqual(out, "done\n" * npes)
                    self.assertEqual(error, "")

    def test_between_nodes(self):
        for case in ("finalize_before_init", "finalize_twice"):
            out, error = self.run_job("-n", 3, "--virtual-nodes", 2, CASES, case)
            self.assertEqual((out, error), ("done\n" * 3, ""))

    def test_without_launcher(self):
        for case in self.CASES:
            out, error = self.run_job(case, launcher=[CASES])
            self.assertEqual((out, error), ("done\n", ""))

    def test_debug_warns(self):
        environment = self.environment(SHMEM_DEBUG="1")
        for case, calls in self.CASES.items():
            with self.subTest(case):
                _, error = self.run_job("-n", 2, CASES, case, environment=environment)
                lines = error.splitlines()
                self.assertEqual(len(lines), 2 * calls, error)
                for line in lines:
                    self.assertRegex(line, rf"^(\[child of a PE\] )?{UNMATCHED}$")


class LastWords(LaunchTest):
    def test_text_comes_out(self):
        for npes in (1, 3):
            out, error = self.run_job("-n", npes, CASES, "fail_after_text", code=1)
            self.assertEqual(out, "last words")
            self.assertIn("shmem_long_p: pe -1 ", error)
        out, _ = self.run_job("-n", 1, CASES, "fail_after_large_text", code=1)
        self.assertEqual(out, "x" * LARGE_BYTES)
        out, _ = self.run_job("fail_after_text", launcher=[CASES], code=1)
        self.assertEqual(out, "last words")

    def test_locked_stdout_holds_nothing_up(self):
        _, error = self.run_job("-n", 2, CASES, "fail_while_stdout_is_locked", code=1)
        self.assertIn("shmem_long_p: pe -1 ", error)

    def test_stdout_that_nobody_reads(self):
        reader, writer = os.pipe()
        job = subprocess.Popen([CASES, "fail_after_large_text"], stdout=writer, text=True,
                               stderr=subprocess.PIPE, env=self.environment())
        os.close(writer)
        _, error = job.communicate(timeout=HANG_SECONDS)
        os.close(reader)
        self.assertEqual(job.returncode, 1)
        self.assertIn("shmem_long_p: pe -1 ", error)


if __name__ == "__main__":
    main()
