#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Without this, runs at different clocks of the processor could be compared with each other.

Made-up runs with made-up clocks. The two states, 90 and 214 ns, are those of a machine that we had.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench"))

# pylint: disable=wrong-import-position
from suite import clocks
from suite import judge
from suite import plan
from suite import points

FAST, SLOW = 90.0, 214.0


def result(library, this_round, median, clock, unit="ns", better="lower", repeats=0):
    """`clock`: before and after, or one number for both."""
    line = (f"@ measure=put x=8 xname=bytes npes=2 unit={unit} better={better} median={median} "
            f"q1={median} q3={median} samples=9 limit={median}")
    return {"program": "rma", "library": library, "npes": 2, "round": this_round, "error": "",
            "clock": list(clock) if isinstance(clock, tuple) else [clock, clock],
            "repeats": repeats, "lines": [line, "@ end"]}


def compared(results, name="other"):
    programs = {"rma": {"aims": {}}}
    references = judge.references(points.collect(results), ["tessera", "other"], programs)
    (reference,) = [it for it in references if it.name == name]
    return list(reference.comparisons.values())


class Comparisons(unittest.TestCase):
    def test_a_slow_clock_is_not_behind(self):
        """Ours always met the slow clock, theirs the fast one: nothing can be said."""
        results = [result(library, number, clock, clock) for number in range(3)
                   for library, clock in (("tessera", SLOW), ("other", FAST))]
        self.assertEqual(compared(results), [])

    def test_rounds_of_one_clock_count(self):
        results = [result(library, number, 10, FAST) for number in range(2)
                   for library in ("tessera", "other")]
        results += [result("tessera", 2, 24, SLOW), result("other", 2, 10, FAST)]
        (comparison,) = compared(results)
        self.assertEqual((comparison.ratio, comparison.verdict), (1, "equal"))

    def test_rounds_left_out_still_widen_the_spread(self):
        """Such rounds show how much the medians vary, although their ratio says nothing."""
        results = [result(library, number, median, FAST) for number in range(2)
                   for library, median in (("tessera", 15), ("other", 10))]
        results += [result("tessera", 2, 15, FAST), result("other", 2, 16, SLOW)]
        (comparison,) = compared(results)
        self.assertEqual((comparison.ratio, comparison.verdict), (1.5, "undecided"))

    def test_rounds_of_different_clocks_are_normalised(self):
        """Ours is 1.2 times as slow at either clock; the rounds' spreads must not hide it."""
        for unit, better in (("ns", "lower"), ("GB/s", "higher")):
            results = []
            for number, clock in enumerate((FAST, SLOW, FAST)):
                time = clock / FAST
                ours, theirs = (12 * time, 10 * time) if unit == "ns" else (10 / time, 12 / time)
                results += [result("tessera", number, ours, clock, unit, better),
                            result("other", number, theirs, clock, unit, better)]
            (comparison,) = compared(results)
            self.assertAlmostEqual(comparison.ratio, 1.2)
            self.assertEqual(comparison.verdict, "behind", unit)

    def test_what_is_no_time_is_not_normalised(self):
        results = [result(library, number, 196, clock, "KiB") for library in ("tessera", "other")
                   for number, clock in enumerate((FAST, SLOW, FAST))]
        (place,) = points.collect(results)
        self.assertEqual([value["median"] for value in points.collect(results)[place]["other"]],
                         [196, 196, 196])

    def test_a_clock_that_changed_during_the_run(self):
        """Not even its limit can be trusted."""
        results = [result("tessera", 0, 20, (FAST, SLOW)), result("other", 0, 10, FAST)]
        self.assertEqual(compared(results), [])
        self.assertEqual(compared(results, "limit"), [])

    def test_runs_of_one_clock_only_wobble(self):
        results = [result("tessera", 0, 10, (71.1, 72.0)), result("other", 0, 10, (70.5, 71.1))]
        self.assertEqual(len(compared(results)), 1)
        self.assertEqual(clocks.count(results).normalised, 0)


class Repeats(unittest.TestCase):
    """The next runs of a turn: both libraries, one round."""
    TURN = [plan.Run("rma", "tessera", 2, 0), plan.Run("rma", "other", 2, 0)]

    def to_run(self, *results):
        known = {it["library"]: it for it in results}
        return clocks.to_run(self.TURN, lambda run: known.get(run.library))

    def test_missing_runs(self):
        self.assertEqual(self.to_run(), self.TURN)
        self.assertEqual(self.to_run(result("tessera", 0, 10, FAST)), self.TURN[1:])

    def test_clocks_that_agree(self):
        self.assertEqual(self.to_run(result("tessera", 0, 10, SLOW), result("other", 0, 10, SLOW)),
                         [])

    def test_clocks_that_disagree(self):
        for ours, theirs in ((FAST, SLOW), ((FAST, SLOW), FAST), (FAST, (SLOW, FAST))):
            self.assertEqual(self.to_run(result("tessera", 0, 10, ours),
                                         result("other", 0, 10, theirs)), self.TURN)

    def test_no_end_of_disagreeing(self):
        repeats = clocks.REPEATS_MAX
        self.assertEqual(self.to_run(result("tessera", 0, 10, FAST, repeats=repeats),
                                     result("other", 0, 10, SLOW, repeats=repeats)), [])

    def test_a_failed_run_is_not_repeated(self):
        failed = {**result("other", 0, 10, (FAST, SLOW)), "lines": [], "error": "status 1"}
        self.assertEqual(self.to_run(result("tessera", 0, 10, FAST), failed), [])


class Report(unittest.TestCase):
    def test_states(self):
        results = [result("other", number, 10, clock)
                   for number, clock in enumerate((71, 150, 71.4, 70.9, 152))]
        self.assertEqual(clocks.states(results), [(71, 3), (151, 2)])

    def test_share_of_contended_looks(self):
        results = [{**result("tessera", 0, 10, FAST), "first_clock": [FAST, 1.9 * FAST]},
                   {**result("other", 0, 10, FAST), "first_clock": [FAST, 1.05 * FAST]}]
        self.assertEqual(clocks.contended(results), 0.25)
        self.assertIsNone(clocks.contended([]))

    def test_counts(self):
        results = [result("tessera", 0, 10, FAST), result("other", 0, 10, FAST, repeats=1),
                   result("tessera", 1, 10, SLOW), result("other", 1, 10, FAST, repeats=2),
                   result("tessera", 2, 10, SLOW), result("other", 2, 10, SLOW),
                   result("tessera", 3, 10, FAST), result("other", 3, 10, FAST)]
        counts = clocks.count(results)
        self.assertEqual((counts.repeated, counts.normalised, counts.left_out), (2, 2, 2))


if __name__ == "__main__":
    unittest.main()
