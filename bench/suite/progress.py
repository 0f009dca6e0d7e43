# SPDX-License-Identifier: BSD-3-Clause
"""What runs, how far we are, and how long it will take: one line that changes on a terminal,
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
        crowd = max(1, npes / 4)  # PEs that share cores take longer.
        return (table["seconds"] * crowd ** 0.5 + self.LAUNCH_SECONDS) * table["repeats"]

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
    def __init__(self, total, done):
        self.total, self.done = total, done
        self.start = time.monotonic()
        self.is_terminal = sys.stdout.isatty()

    def _head(self, left):
        return (f"[{self.done}/{self.total}] {100 * self.done // max(1, self.total)} %, "
                f"{minutes(time.monotonic() - self.start)} gone, about {minutes(left)} left")

    def begins(self, run, left):
        if self.is_terminal:
            print(f"\r\033[K{self._head(left)}: {run}", end="", flush=True)

    def ended(self, run, seconds, error, left):
        self.done += 1
        if error:
            self.say(f"{run}: {' '.join(error.split())[:300]}")
        elif not self.is_terminal:
            print(f"{self._head(left)}: {run}: {seconds:.1f} s", flush=True)

    def say(self, text):
        print(("\r\033[K" if self.is_terminal else "") + text, flush=True)
