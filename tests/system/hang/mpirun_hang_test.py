# SPDX-License-Identifier: BSD-3-Clause
"""Would break: under mpirun of Open MPI a PE that gets SIGQUIT, or that has waited for
SHMEM_HANG_REPORT seconds, does not print which PE makes the job hang, on one node or on several."""
import os
import shutil
import signal
import subprocess
import time

from hangs import EXPECTED, NPES, PROBE, missing_in
from launching import HANG_SECONDS, LaunchTest, main, skip_all, wait_gone
from reports import Report, pes_of, probes_of


class Mpirun(LaunchTest):
    NODES = "1"

    def setUp(self):
        super().setUp()
        # mpirun's own folder stays when it is killed, and is not what is tested here.
        self.addCleanup(lambda: [shutil.rmtree(os.path.join(self.folder, name))
                                 for name in os.listdir(self.folder) if name.startswith("ompi.")])

    def environment(self, **more):
        return super().environment(OMPI_ALLOW_RUN_AS_ROOT="1", SHMEM_VIRTUAL_NODES=self.NODES,
                                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)

    def start_probe(self, kind, **more):
        return self.start(PROBE, kind, "PMIX_RANK", environment=self.environment(**more),
                          launcher=["mpirun", "--oversubscribe", "-n", str(NPES)])

    def end(self, process):
        process.terminate()
        try:
            process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:  # libpmix may lock up (launching.run_mpirun_job).
            process.kill()
            process.wait()
        for pid in probes_of(self.mark):  # Those that have not come to shmem_init outlive mpirun.
            os.kill(pid, signal.SIGKILL)
            wait_gone(pid)

    def test_a_pe_is_asked(self):
        for kind in EXPECTED:
            with self.subTest(kind=kind):
                process = self.start_probe(kind)
                report = Report(process)
                end = time.monotonic() + HANG_SECONDS
                while missing_in(report.text, kind):
                    self.assertLess(time.monotonic(), end, report.text)
                    for pid in pes_of(self.mark)[:1]:
                        os.kill(pid, signal.SIGQUIT)
                    report.wait_for(lambda text: not missing_in(text, kind), 3)
                self.end(process)

    def test_a_wait_reports_itself(self):
        for kind in ("missed_barrier", "init"):
            with self.subTest(kind=kind):
                process = self.start_probe(kind, SHMEM_HANG_REPORT="4")
                report = Report(process)
                report.wait_for(lambda text: not missing_in(text, kind), HANG_SECONDS)
                self.assertEqual(missing_in(report.text, kind), [], report.text)
                self.end(process)

    def test_who_has_exited_is_named(self):
        # mpirun ends such a job by itself.
        process = self.start_probe("exited")
        _, error = process.communicate(timeout=HANG_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(error, r"rank 1|,1\]|process")


class MpirunVirtualNodes(Mpirun):
    NODES = "2"


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        skip_all("there is no mpirun")
    main()
