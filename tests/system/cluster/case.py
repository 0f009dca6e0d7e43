# SPDX-License-Identifier: BSD-3-Clause
"""What the tests across hosts share: jobs on a cluster of three hosts, and looking at what they
leave. A test program is run as PROGRAM BIN_FOLDER LAUNCH_FOLDER [UNITTEST_OPTION]..."""
import collections
import os
import re
import signal
import subprocess
import sys
import unittest

import lab
from cluster import HANG_SECONDS, Cluster
from slurm import Slurm

# How long after its end, or after what ends it, a job may have processes. Launchers need up to
# four seconds on a quiet machine; other tests run beside these.
END_SECONDS = 40
HOSTS = 3
ANY = "any"
# PEs by host, in order: even, uneven, and with numbers that are not in a row on a host. Programs
# with many round trips run as a pair: where PEs outnumber cores, each may cost a time slice.
PAIR = ["h1", "h2"]
EVEN = ["h1", "h1", "h2", "h2"]
UNEVEN = ["h1", "h1", "h1", "h2"]
ALTERNATING = ["h1", "h2", "h3", "h1", "h2"]
THREE = ["h1", "h2", "h2", "h3"]


def bin_program(name):
    return os.path.join(os.path.abspath(sys.argv[1]), name)


def launch_program(name):
    return os.path.join(os.path.abspath(sys.argv[2]), name)


def oshrun(cluster, layout, command, environment=None):
    """oshrun --host on the first host of the layout, whose hosts come in blocks."""
    counts = collections.Counter(layout)
    hosts = ",".join(f"{host}:{count}" for host, count in counts.items())
    return cluster.start(layout[0], [bin_program("oshrun"), "--host", hosts, "-n", len(layout),
                                     *command],
                         {**cluster.agent_variables(), **(environment or {})})


class World:
    """The cluster, and Slurm on it where a test program wants it."""
    cluster = None
    slurm = None


class ClusterTest(unittest.TestCase):
    """After each test, no process may be left on any host, and no file."""

    def setUp(self):
        self.cluster = World.cluster
        self.files_before = self.cluster.files()
        self.addCleanup(self.check_nothing_left)

    def check_nothing_left(self, seconds=END_SECONDS):
        left = self.cluster.wait_nothing_runs(seconds)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.cluster.wait_nothing_runs(HANG_SECONDS)
        files = {path for path in self.cluster.files() - self.files_before
                 if not self.is_launchers(path)}
        self.assertEqual(left, {}, "processes are left")
        self.assertEqual(files, set(), "files are left")

    @staticmethod
    def is_launchers(path):
        """Files that mpirun and slurmd leave when they are killed, or keep for the next job."""
        return re.search(r"/tmp/(ompi\.|prterun\.|spmix_appdir_)", path)

    def launch(self, layout, command, environment=None):
        """A job in the background."""
        raise NotImplementedError

    def finish(self, job, code=0, seconds=HANG_SECONDS):
        """The output of a job that ends by itself. `code`: None: any but 0; ANY: all."""
        try:
            out, error = job.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            left = self.cluster.strangers()
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            out, error = job.communicate()
            self.fail(f"no end after {seconds} s: {left}\nstdout: {out}\nstderr: {error}")
        said = f"exit code {job.returncode}\nstdout: {out}\nstderr: {error}"
        if code == ANY:
            return out, error
        if code is None:
            self.assertNotEqual(job.returncode, 0, said)
        else:
            # See from_mpirun() in tests/support/launching.py.
            codes = (code, -signal.SIGSEGV, 128 + signal.SIGSEGV) if code != 0 else (code,)
            self.assertIn(job.returncode, codes, said)
        return out, error

    def run_job(self, layout, *command, code=0, environment=None):
        return self.finish(self.launch(layout, command, environment), code)

    def pids(self, job, count):
        """{pe: pid}, from the lines "pe I ... pid P ..." that a running job begins with."""
        lines = [job.stdout.readline() for _ in range(count)]
        if "" in lines:
            self.fail(f"the job said only {lines}: {self.finish(job, code=None)}")
        found = [re.match(r"pe (\d+)\D.*?pid (\d+)", line) for line in lines]
        return {int(match.group(1)): int(match.group(2)) for match in found}


def main(with_slurm=False, missing=""):
    """Runs the tests of the calling module on a cluster of their own."""
    if missing:
        lab.give_up(missing)
    lab.enter()
    with Cluster(HOSTS) as World.cluster:
        arguments = sys.argv[:1] + sys.argv[3:]
        if not with_slurm:
            result = unittest.main("__main__", argv=arguments, exit=False).result
        else:
            with Slurm(World.cluster) as World.slurm:
                result = unittest.main("__main__", argv=arguments, exit=False).result
                if not result.wasSuccessful():
                    print(World.slurm.logs())
    return 0 if result.wasSuccessful() else 1
