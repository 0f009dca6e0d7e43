# SPDX-License-Identifier: BSD-3-Clause
"""The report on a job that goes on, and the PEs of such a job."""
import threading

from hangs import PROBE
from launching import processes_with

SIGQUIT_BIT = 1 << 2  # in /proc/PID/status


class Report(threading.Thread):
    """Collects the stderr of a job, which goes on."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.text = process, ""
        self.has_grown = threading.Condition()
        self.start()

    def run(self):
        for line in self.process.stderr:
            with self.has_grown:
                self.text += line
                self.has_grown.notify()

    def wait_for(self, condition, seconds):
        with self.has_grown:
            return self.has_grown.wait_for(lambda: condition(self.text), seconds)


def handles_quit(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) & SIGQUIT_BIT)


def probes_of(mark, program=PROBE):
    """The processes of a job that run the probe, which its launcher may not."""
    return sorted(pid for pid, command in processes_with(mark) if command.startswith(program))


def pes_of(mark):
    """The PEs of a job that can be asked: they have come to shmem_init."""
    return [pid for pid in probes_of(mark) if handles_quit(pid)]
