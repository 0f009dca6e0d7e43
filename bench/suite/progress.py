# SPDX-License-Identifier: BSD-3-Clause
"""The current run, the progress, and the time to the end: one line that changes on a terminal,
lines elsewhere."""
import sys
import time


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Estimate:
    """Guesses how long runs take: from equal ones of this call, or from suite.toml's seconds,
    corrected by how long others took."""
    LAUNCH_SECONDS = 0.5

    def __init__(self, suite):
        self.suite = suite
        self.known = {}  # {(program, library, npes): seconds}
        self.planned = self.taken = 0.0

    def _plan(self, program, npes):
        table = self.suite.programs[program]
        pes_per_core = max(1, npes / 4)  # PEs that share cores take longer.
        return (table["seconds"] * pes_per_core ** 0.5 + self.LAUNCH_SECONDS) * table["repeats"]

    def add(self, run, seconds):
        self.known[run.program, run.library, run.npes] = seconds
        self.planned += self._plan(run.program, run.npes)
        self.taken += seconds

    def seconds(self, runs):
        # The plan's weight shrinks as runs end.
        factor = (self.taken + 10) / (self.planned + 10)
        return sum(self.known.get((run.program, run.library, run.npes),
                                  factor * self._plan(run.program, run.npes)) for run in runs)


class Display:
    def __init__(self, total, left, estimate):
        self.total, self.left, self.estimate = total, list(left), estimate
        self.start = time.monotonic()
        self.is_terminal = sys.stdout.isatty()

    def _head(self):
        done = self.total - len(self.left)
        return (f"[{done}/{self.total}] {100 * done // max(1, self.total)} %, "
                f"{minutes(time.monotonic() - self.start)} gone, "
                f"about {minutes(self.estimate.seconds(self.left))} left")

    def wants(self, runs):
        """Runs of which some may have been done already: a repetition."""
        for run in runs:
            if run not in self.left:
                self.left.insert(0, run)
                self.total += 1

    def begins(self, run):
        if self.is_terminal:
            print(f"\r\033[K{self._head()}: {run}", end="", flush=True)

    def ended(self, run, seconds, error):
        self.left.remove(run)
        if error:
            self.say(f"{run}: {' '.join(error.split())[:300]}")
        elif not self.is_terminal:
            print(f"{self._head()}: {run}: {seconds:.1f} s", flush=True)

    def say(self, text):
        print(("\r\033[K" if self.is_terminal else "") + text, flush=True)
