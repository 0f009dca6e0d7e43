# SPDX-License-Identifier: BSD-3-Clause
"""The report on a job that goes on, and the PEs of such a job."""
import threading
import time

from hangs import PROBE, missing_in
from launching import HANG_SECONDS, processes_with

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

    def ask_until_complete(self, kind, ask):
        """The PEs come to the place where they hang one after the other: calls ask(), which says
        whether it could ask one, until all have. Waits twice as long after each question."""
        end = time.monotonic() + HANG_SECONDS
        patience = 0.1
        while missing_in(self.text, kind):
            if time.monotonic() > end:
                raise AssertionError(f"{kind}: no line like {missing_in(self.text, kind)} in\n"
                                     f"{self.text}")
            patience *= 2 if ask() else 1
            self.wait_for(lambda text: not missing_in(text, kind), patience)


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
