# SPDX-License-Identifier: BSD-3-Clause
"""A private Slurm of one controller and two nodes for the tests of a script, in namespaces of its
own (network, host name, processes), so that nothing of it is seen outside, or left.
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

from launching import HANG_SECONDS, processes_with, skip_all
from slurm_configuration import write_configuration

TOOLS = ("slurmctld", "slurmd", "srun", "salloc", "sinfo", "ip", "unshare")
INSIDE = "--inside-namespace"
ADDRESS = "10.99.1.1"


def reenter():
    """Runs this test again in namespaces of its own; returns the exit code, or why it cannot."""
    for tool in TOOLS:
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    if not glob.glob("/usr/lib/*/slurm*/mpi_pmix*.so"):
        return "Slurm has no PMIx plugin"
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    # All of a PID namespace ends with its first process, slurmstepd too, which outlives slurmd.
    unshare = ["unshare", *user, "--net", "--uts", "--pid", "--fork", "--kill-child",
               "--mount-proc"]
    setup = f"hostname h1 && ip link set lo up && ip addr add {ADDRESS}/32 dev lo"
    probe = subprocess.run([*unshare, "sh", "-c", setup], capture_output=True, text=True)
    if probe.returncode != 0:
        return "namespaces are not permitted: " + probe.stderr.strip()
    mark = uuid.uuid4().hex
    inside = 'exec "$0" "$@"'
    code = subprocess.run([*unshare, "sh", "-c", f"{setup} && {inside}", sys.executable, *sys.argv,
                           INSIDE], env={**os.environ, "TESSERA_SLURM_MARK": mark}).returncode
    left = processes_with(mark)
    for pid, _ in left:
        os.kill(pid, signal.SIGKILL)
    if left:
        print("FAILED: left behind:", left)
    return 1 if left else code


class Cluster:
    """The daemons, in the foreground, so that their ends are ours to see."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="slurm-test-")
        self.daemons = []
        for name in ("state", "spool.n1", "spool.n2", "tmp.n1", "tmp.n2"):
            os.mkdir(os.path.join(self.folder, name))
        # slurmd and the PMIx plugin keep files in TmpFS, of which each node needs its own.
        write_configuration(
            self.folder, f"h1({ADDRESS})", f"TmpFS={self.folder}/tmp.%n",
            *(f"NodeName=n{i} NodeHostname=h1 NodeAddr={ADDRESS} Port=1700{i} CPUs=8"
              for i in (1, 2)))
        os.environ["SLURM_CONF"] = os.path.join(self.folder, "slurm.conf")

    def start(self):
        """Returns whether both nodes are ready."""
        for command in (["slurmctld", "-c", "-D"], ["slurmd", "-D", "-N", "n1"],
                        ["slurmd", "-D", "-N", "n2"]):
            log = open(os.path.join(self.folder, f"log{len(self.daemons)}"), "w")
            self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=log))
            log.close()
        deadline = time.monotonic() + HANG_SECONDS
        while time.monotonic() < deadline:
            states = subprocess.run(["sinfo", "-h", "-N", "-o", "%t"], capture_output=True,
                                    text=True).stdout.split()
            if states == ["idle", "idle"]:
                return True
            if any(daemon.poll() is not None for daemon in self.daemons):
                return False
            time.sleep(0.05)  # sinfo has no way to wait.
        return False

    def logs(self):
        text = ""
        for path in sorted(glob.glob(os.path.join(self.folder, "log*"))):
            with open(path) as file:
                text += file.read()
        return text

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(HANG_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(at_end=None):
    """Runs the script's tests in a Slurm, and at_end() behind them; returns the exit code. Skips
    them where Slurm is not installed or namespaces are not permitted.
    """
    if INSIDE not in sys.argv:
        outcome = reenter()
        if isinstance(outcome, str):
            skip_all(outcome)
        return outcome
    sys.argv.remove(INSIDE)
    cluster = Cluster()
    try:
        if not cluster.start():
            print(cluster.logs())
            skip_all("a private Slurm does not start here; its logs are above")
        result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result
        if at_end is not None:
            at_end()
        return 0 if result.wasSuccessful() else 1
    finally:
        cluster.stop()
