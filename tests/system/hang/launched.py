# SPDX-License-Identifier: BSD-3-Clause
"""Hangs of jobs that another launcher than oshrun has started: any PE can be asked."""
import os
import signal
import subprocess

from hangs import EXITS, EXPECTED, PROBE, missing_in
from launching import HANG_SECONDS, wait_gone
from reports import Report, pes_of, probes_of


class Launched:
    """For a class of LaunchTest: LAUNCHER is the command line before the program."""
    LAUNCHER = ()

    def start_probe(self, kind, **more):
        return self.start(PROBE, kind, "PMIX_RANK", environment=self.environment(**more),
                          launcher=list(self.LAUNCHER))

    def end(self, process):
        process.terminate()
        try:
            process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:  # libpmix may lock up in mpirun.
            process.kill()
            process.wait()
        for pid in probes_of(self.mark):  # Those that have not come to shmem_init outlive mpirun.
            os.kill(pid, signal.SIGKILL)
            wait_gone(pid)

    def ask_one(self):
        for pid in pes_of(self.mark)[:1]:
            os.kill(pid, signal.SIGQUIT)
            return True
        return False

    def test_a_pe_is_asked(self):
        for kind in EXPECTED:
            with self.subTest(kind=kind):
                process = self.start_probe(kind)
                Report(process).ask_until_complete(kind, self.ask_one)
                self.end(process)

    def test_an_exit_reports_itself(self):
        """The launcher ends such a job; it may take its time."""
        for kind in EXITS:
            with self.subTest(kind=kind):
                process = self.start_probe(kind)
                report = Report(process)
                report.wait_for(lambda text: not missing_in(text, kind), HANG_SECONDS)
                self.assertEqual(missing_in(report.text, kind), [], report.text)
                self.end(process)

    def test_a_wait_reports_itself(self):
        for kind in ("missed_barrier", "init"):
            with self.subTest(kind=kind):
                process = self.start_probe(kind, SHMEM_HANG_REPORT="4")
                report = Report(process)
                report.wait_for(lambda text: not missing_in(text, kind), HANG_SECONDS)
                self.assertEqual(missing_in(report.text, kind), [], report.text)
                self.end(process)
