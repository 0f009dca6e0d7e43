# SPDX-License-Identifier: BSD-3-Clause
"""Would break: ctrl-\\ to oshrun, --timeout or SHMEM_HANG_REPORT do not name the PE that makes a
job hang, and its line, on one node or on several."""
import os
import re
import signal
import subprocess
import time

from hangs import (EXITS, EXPECTED, IMAGES, NPES, OF_IMAGES, OF_UNITS, PROBE, UNITS,
                   missing_in)
from launching import HANG_SECONDS, OSHRUN, LaunchTest, main
from reports import Report, probes_of


class HangReport(LaunchTest):
    def probe(self, kind):
        return [PROBE, kind, *(["PMIX_RANK"] if kind == "init" else [])]

    def end(self, process):
        process.kill()
        process.wait(HANG_SECONDS)
        for stream in (process.stdout, process.stderr):
            stream.close()

    def ask_until_complete(self, process, kind):
        def ask():
            # Before it has started PEs, oshrun may not handle signals yet.
            if len(probes_of(self.mark, PROBE)) + len(probes_of(self.mark, IMAGES)) < NPES:
                return False
            asked_at = len(report.text)
            os.kill(process.pid, signal.SIGQUIT)
            report.wait_for(lambda text: "osh_hang:" in text[asked_at:], 5)
            return True

        report = Report(process)
        report.ask_until_complete(kind, ask)
        self.assertIsNone(process.poll(), "the job ended")

    def test_quit_signal(self):
        for nodes in (1, 2, 4):
            for kind in EXPECTED:
                with self.subTest(kind=kind, nodes=nodes):
                    process = self.start("-n", NPES, "--virtual-nodes", nodes, *self.probe(kind))
                    self.ask_until_complete(process, kind)
                    os.kill(process.pid, signal.SIGTERM)
                    self.assertEqual(process.wait(HANG_SECONDS), 128 + signal.SIGTERM)
                    self.end(process)

    def test_images(self):
        if not os.path.exists(IMAGES):
            self.skipTest("no coarrays")
        for kind in OF_IMAGES:
            for nodes in (1, 2):
                with self.subTest(kind=kind, nodes=nodes):
                    process = self.start("-n", NPES, "--virtual-nodes", nodes, IMAGES, kind)
                    self.ask_until_complete(process, kind)
                    os.kill(process.pid, signal.SIGTERM)
                    process.wait(HANG_SECONDS)
                    self.end(process)

    def test_timeout(self):
        _, error = self.run_job("-n", NPES, "--timeout", 6, *self.probe("missed_barrier"), code=124)
        self.assertEqual(missing_in(error, "missed_barrier"), [], error)
        self.assertIn("did not end within 6 s", error)

    def check_timeout(self, program, kinds):
        """The report on a program of the runtimes names no routine of OpenSHMEM."""
        for kind in kinds:
            with self.subTest(kind=kind):
                _, error = self.run_job("-n", NPES, "--timeout", 6, program, kind, code=124)
                self.assertEqual(missing_in(error, kind), [], error)
                self.assertNotRegex(error, r"(?mi)^(oshrun:)? +(pe|image) \d .*shmemx?_")

    def test_timeout_of_images(self):
        if not os.path.exists(IMAGES):
            self.skipTest("no coarrays")
        self.check_timeout(IMAGES, OF_IMAGES)

    def test_timeout_of_units(self):
        self.check_timeout(UNITS, OF_UNITS)

    def test_a_wait_reports_itself(self):
        for kind in ("no_signal", "missed_barrier", "init"):
            with self.subTest(kind=kind):
                environment = self.environment(SHMEM_HANG_REPORT="3")
                process = self.start("-n", NPES, *self.probe(kind), environment=environment)
                report = Report(process)
                report.wait_for(lambda text: not missing_in(text, kind), HANG_SECONDS)
                self.assertEqual(missing_in(report.text, kind), [], report.text)
                os.kill(process.pid, signal.SIGTERM)
                process.wait(HANG_SECONDS)
                self.end(process)

    def test_a_user_asks(self):
        process = self.start("-n", NPES, *self.probe("other_team"))
        report = Report(process)
        end = time.monotonic() + HANG_SECONDS
        tool = os.path.join(os.path.dirname(OSHRUN), "osh_hang")
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        text = ""
        while missing_in(text, "other_team"):
            self.assertLess(time.monotonic(), end, text)
            with open(children) as file:
                pids = file.read().split()
            if not pids:
                continue
            text = subprocess.run([tool, pids[-1]], capture_output=True, text=True).stderr
        self.assertEqual(report.text, "")
        os.kill(process.pid, signal.SIGTERM)
        process.wait(HANG_SECONDS)
        self.end(process)

    def test_who_has_exited_is_named(self):
        """oshrun ends such a job by itself."""
        for nodes in (1, 2):
            for kind in (*EXITS, "left"):
                with self.subTest(kind=kind, nodes=nodes):
                    _, error = self.run_job("-n", NPES, "--virtual-nodes", nodes, PROBE, kind,
                                            code=1)
                    self.assertRegex(error, r"pe 1 .*ended without shmem_finalize")
                    if kind in EXITS:
                        self.assertEqual(missing_in(error, kind), [], error)

    def test_a_process_that_is_no_pe(self):
        tool = os.path.join(os.path.dirname(OSHRUN), "osh_hang")
        done = subprocess.run([tool, str(os.getpid())], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.escape(f"process {os.getpid()} is no PE"))


if __name__ == "__main__":
    main()
