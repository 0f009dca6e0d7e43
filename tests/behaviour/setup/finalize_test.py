# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a shmem_finalize without its init ends the job, or no shmem_finalize at all does,
though all PEs have ended well; a PE that leaves others waiting is not noticed; the output of a
PE is lost when the job ends, or printing it holds up the end.

The programs are in finalize_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import subprocess

from launching import HANG_SECONDS, LaunchTest, main, program

CASES = program("finalize_cases")
UNMATCHED = (r"(\[pe \d\] )?shmem_finalize: there is no matching shmem_init, so the call does "
             "nothing")
WARNING = (r"\[pe 0\] the program ends without shmem_finalize, which the specification requires; "
           "its PEs end as if each had called it")
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


class NoFinalize(LaunchTest):
    def check_warned(self, out, error, npes):
        self.assertEqual(sorted(out.splitlines()), [f"pe {pe}" for pe in range(npes)])
        self.assertRegex(error, rf"^{WARNING}\n$")

    def test_all_pes_leave(self):
        for npes in (1, 2, 3, 4, 5, 7, 8):
            out, error = self.run_job("-n", npes, CASES, "no_finalize")
            self.check_warned(out, error, npes)

    def test_all_pes_leave_on_nodes(self):
        for npes, nodes in ((2, 2), (3, 2), (5, 3), (4, 4)):
            out, error = self.run_job("-n", npes, "--virtual-nodes", nodes, CASES, "no_finalize")
            self.check_warned(out, error, npes)
        environment = self.environment(SHMEM_PROGRESS="none")
        out, error = self.run_job("-n", 3, "--virtual-nodes", 3, CASES, "no_finalize",
                                  environment=environment)
        self.check_warned(out, error, 3)

    def test_alone(self):
        out, error = self.run_job("no_finalize", launcher=[CASES])
        self.check_warned(out, error, 1)

    def test_memory_stays_until_all_have_left(self):
        for options in ((), ("--virtual-nodes", 2), ("--virtual-nodes", 3)):
            for npes in (3, 5):
                _, error = self.run_job("-n", npes, *options, CASES, "others_are_busy")
                self.assertRegex(error, rf"^{WARNING}\n$")

    def test_others_wait(self):
        # oshrun gives the others some seconds to end, so all the jobs run at once.
        jobs = {(case, options): self.start(*options, CASES, case)
                for case in ("barrier", "finalize", "broadcast", "team", "wait")
                for options in (("-n", 2), ("-n", 5), ("-n", 4, "--virtual-nodes", 2))}
        for (case, options), job in jobs.items():
            with self.subTest(f"{case} {options}"):
                _, error = self.finish(job, code=1)
                self.assertRegex(error, r"(?m)^oshrun: pe \d .* ended without shmem_finalize")
                self.assertNotIn("end as if each", error)

    def test_exit_that_is_not_the_end_of_main(self):
        for case in ("no_handlers", "thread", "handler"):
            for options in (("-n", 3), ("-n", 3, "--virtual-nodes", 3)):
                with self.subTest(f"{case} {options}"):
                    _, error = self.run_job(*options, CASES, case, code=1)
                    self.assertRegex(error, r"(?m)^oshrun: pe \d .* ended without shmem_finalize")


if __name__ == "__main__":
    main()
