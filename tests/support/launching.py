# SPDX-License-Identifier: BSD-3-Clause
"""What the launch tests share: starting oshrun (or another launcher), and finding what it left.

Every job gets a mark in its environment and a temporary folder of its own. When a test is over, no
process may carry the mark, and the folder and /dev/shm must be as they were. Waiting is always
for an event (output, the end of a process), with a limit that only a hang reaches. By hand:

    export PYTHONPATH=$PWD/tests/support
    cd build/release
    python3 ../../tests/system/launch/job_test.py bin/oshrun tests/system/launch
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import uuid

import processes
from processes import processes_with

HANG_SECONDS = 60
SKIP_EXIT_CODE = 77

OSHRUN = os.path.abspath(sys.argv[1]) if len(sys.argv) > 2 else ""
PROGRAMS = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""


def preloading(path):
    """The variables that preload a library. In LD_PRELOAD, not in LD_LIBRARY_PATH, a space ends a
    path."""
    return {"LD_PRELOAD": os.path.basename(path), "LD_LIBRARY_PATH": os.path.dirname(path)}


def program(name):
    return os.path.join(PROGRAMS, name)


PLAIN, SHMEM, PMIX = program("plain_probe"), program("shmem_probe"), program("pmix_probe")
NODES = program("nodes_probe")


def places(hosts, nodes_per_host):
    """The output of nodes_probe when the PEs of the job are on `hosts`, a list of lists of PEs:
    sorted lines up to the name of the launcher's address."""
    nodes = []
    for pes in hosts:
        count = max(1, min(nodes_per_host, len(pes)))
        for number in range(count):
            nodes.append((pes, count, [pe for i, pe in enumerate(pes)
                                       if i * count // len(pes) == number]))
    nodes.sort(key=lambda node: node[2][0])
    npes = sum(map(len, hosts))
    return sorted(f"pe {pe} of {npes} node {number} of {len(nodes)} local {node.index(pe)} of "
                  f"{len(node)} host PEs {len(pes)} nodes {count}"
                  for number, (pes, count, node) in enumerate(nodes) for pe in node)


def wait_gone(pid, seconds=HANG_SECONDS):
    """Returns when a process that is not our child has ended."""
    if not processes.wait_gone(pid, seconds):
        raise AssertionError(f"process {pid} is still there after {seconds} s")


def ours_in_shm():
    return {name for name in os.listdir("/dev/shm") if re.search("tessera|oshrun|shmem", name)}


def from_mpirun(code):
    """The exit codes that mpirun may have when it should end with `code`. Debian's libpmix 4.2.2
    crashes now and then in PMIx_server_finalize, in mpirun, after a job in which a PE died has
    ended."""
    return code if code == 0 else (code, -signal.SIGSEGV)


def mpi_starts_second():
    """Whether MPI_Init of the installed Open MPI works behind shmem_init where its mpirun or srun
    starts the job: from 5.0 on it does not (docs/run/porting.md)."""
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\(Open MPI\) (\d+)", version.stdout)
    return found is None or int(found[1]) < 5


class LaunchTest(unittest.TestCase):
    """One folder and one mark a test; after it, nothing may be left."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="launch-test-")
        self.mark = "TESSERA_TEST_MARK=" + uuid.uuid4().hex
        self.shm_before = ours_in_shm()
        self.running = []
        self.addCleanup(self.check_nothing_left)

    def check_nothing_left(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.communicate()
        left = processes_with(self.mark)
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)
        # The folder of mpirun, also under the name of Open MPI 5, stays when mpirun is killed.
        files = [name for name in os.listdir(self.folder)
                 if not name.startswith(("ompi.", "prterun."))]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.assertEqual(left, [], "processes are left")
        self.assertEqual(files, [], "files are left")
        self.assertEqual(ours_in_shm() - self.shm_before, set(), "left in /dev/shm")

    def environment(self, **more):
        environment = dict(os.environ, TMPDIR=self.folder, **more)
        name, value = self.mark.split("=")
        environment[name] = value
        for name in ("TESSERA_JOB", "PMIX_NAMESPACE", "PMIX_RANK"):
            environment.pop(name, None)
        return environment

    def start(self, *arguments, launcher=None, environment=None, **options):
        """A job in the background, ended with the test if it has not ended before."""
        options.setdefault("stdin", subprocess.DEVNULL)
        command = [*(launcher or [OSHRUN]), *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment or self.environment(), text=True, **options)
        self.running.append(process)
        return process

    def run_job(self, *arguments, code=0, input=None, **options):
        """Runs a job to its end and checks its exit code, `code` or one of these. Returns its
        stdout and stderr."""
        if input is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **options)
        out, error = process.communicate(input, timeout=HANG_SECONDS)
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(process.returncode, codes, f"{arguments}\nstdout: {out}\nstderr: {error}")
        return out, error

    def run_mpirun_job(self, *arguments, code=0, **options):
        """run_job where mpirun of Open MPI runs the job."""
        try:
            return self.run_job(*arguments, code=from_mpirun(code), **options)
        except subprocess.TimeoutExpired:
            if code == 0:
                raise
        # Where libpmix does not crash (from_mpirun) it locks up. The PEs must be gone all the same.
        process = self.running[-1]
        left = [found for found in processes_with(self.mark) if found[0] != process.pid]
        self.assertEqual(left, [], "mpirun hangs, and not alone")
        process.kill()
        return process.communicate()

    def check_places(self, out, hosts, nodes_per_host, addresses):
        """`out` is of nodes_probe; `addresses` are those that PEs may have towards the launcher."""
        lines = [line.split(" launcher ") for line in out.splitlines()]
        self.assertEqual(sorted(line[0] for line in lines), places(hosts, nodes_per_host))
        self.assertLessEqual({line[1] for line in lines}, addresses)

    def read_lines(self, process, count):
        """The next lines of a running job's stdout."""
        return [process.stdout.readline().rstrip("\n") for _ in range(count)]

    def finish(self, process, code):
        out, error = process.communicate(timeout=HANG_SECONDS)
        self.assertEqual(process.returncode, code, f"stdout: {out}\nstderr: {error}")
        return out, error


def skip_all(reason):
    """For a test program whose needs this machine does not meet."""
    print("skipped:", reason)
    sys.exit(SKIP_EXIT_CODE)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
