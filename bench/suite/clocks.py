# SPDX-License-Identifier: BSD-3-Clause
"""The state of the processor's clock before and after each run, and which runs may be compared.

A turn is the runs of all libraries of one program, number of PEs and round. Its runs may be
compared when all their clocks agree; a turn whose clocks disagree is repeated, then left out."""
import dataclasses
import shlex
import statistics
import subprocess

APART = 1.1      # clocks that differ by more are different states
REPEATS_MAX = 2  # of a turn


class Clock:
    """The measurement of clock.c."""

    def __init__(self, command):
        self.command = shlex.split(command)
        self._fastest = {}  # {number of PEs: ns}

    def read(self, npes):
        """RETURNS: (ns of the loop on the slowest of the CPUs that the PEs use, the same at first
        sight: more where a hyperthread of the core is busy now and then)"""
        command = [*self.command, str(npes), str(self._fastest.get(npes, 0))]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=True)
            lasting, first = map(float, done.stdout.split())
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"bench/run: {shlex.join(command)} should print the clock's state, "
                             f"two numbers: {error}") from error
        self._fastest[npes] = min(lasting, self._fastest.get(npes, lasting))
        return lasting, first


def agree(values):
    return not values or max(values) <= APART * min(values)


def _values(results):
    """The clocks of those runs that measured something."""
    return [value for result in results if result["lines"] for value in result.get("clock", ())]


def to_run(turn, find):
    """The runs of a turn that are due now: the missing ones, or all of them once more, or none."""
    results = [find(run) for run in turn]
    missing = [run for run, result in zip(turn, results) if not result]
    if missing or agree(_values(results)):
        return missing
    return turn if max(result.get("repeats", 0) for result in results) < REPEATS_MAX else []


def states(results):
    """[(median of its clocks in ns, number of runs)] of each state, the fastest one first."""
    groups = []
    for value in sorted(max(result["clock"]) for result in results if result.get("clock")):
        if not groups or value > APART * groups[-1][0]:
            groups.append([])
        groups[-1].append(value)
    return [(statistics.median(group), len(group)) for group in groups]


def _turn_of(result):
    return result["program"], result["npes"], result["round"]


class Scales:
    """Factors for the times of each run, so that all times are those of the state in which most
    runs were."""

    def __init__(self, results):
        turns = {}
        for result in results:
            turns.setdefault(_turn_of(result), []).append(result)
        self._clocks = {turn: _values(group) for turn, group in turns.items()}
        self._usual = max(states(results), key=lambda state: state[1], default=(1, 0))[0]

    def is_left_out(self, result):
        return not agree(self._clocks[_turn_of(result)])

    def of(self, result):
        values = self._clocks[_turn_of(result)]
        if not values or self.is_left_out(result) or agree([self._usual, max(values)]):
            return 1.0
        return self._usual / max(values)


def contended(results):
    """RETURNS: the share of all looks at the clock that found a core shared with others, or None"""
    looks = [first > APART * lasting for result in results
             for lasting, first in zip(result.get("clock", ()), result.get("first_clock", ()))]
    return sum(looks) / len(looks) if looks else None


@dataclasses.dataclass
class Counts:
    repeated: int
    normalised: int
    left_out: int

    def texts(self):
        """One sentence for each that is not 0."""
        return [text for text, number in (
            (f"{self.repeated} runs were repeated, because clocks disagreed", self.repeated),
            (f"{self.normalised} runs are normalised to the usual clock", self.normalised),
            (f"{self.left_out} runs are left out: their clocks still disagreed", self.left_out),
        ) if number]


def count(results):
    scales = Scales(results)
    return Counts(sum(result.get("repeats", 0) > 0 for result in results),
                  sum(scales.of(result) != 1 for result in results),
                  sum(scales.is_left_out(result) for result in results))
