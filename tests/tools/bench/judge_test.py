#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Without this, noise between rounds could count as being behind, or hide that we are behind.

Invented runs, and the verdicts of bench/run on their points.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench"))

# pylint: disable=wrong-import-position
from suite import judge
from suite import points

PROGRAMS = {"rma": {"aims": {"p": 1.3}}}


def run(library, this_round, median, limit=None, measure="put", better="lower", samples=9,
        half_width=0.0):
    """One run of `library` with one result, whose quartiles lie `half_width` around its median."""
    line = (f"@ measure={measure} x=8 xname=bytes npes=2 unit=ns better={better} median={median} "
            f"q1={median - half_width} q3={median + half_width} samples={samples}")
    if limit:
        line += f" limit={limit}"
    return {"program": "rma", "library": library, "npes": 2, "round": this_round, "error": "",
            "lines": [line, "@ end"]}


def judged(results, name="other"):
    """The Reference of that name."""
    references = judge.references(points.collect(results), ["tessera", "other"], PROGRAMS)
    return next(it for it in references if it.name == name)


def against_other(ours, theirs, **options):
    """Medians of ours and theirs by rounds."""
    return judged([run(library, number, median, **options)
                   for library, medians in (("tessera", ours), ("other", theirs))
                   for number, median in enumerate(medians)])


class Behind(unittest.TestCase):
    def test_spreads_apart(self):
        self.assertEqual(len(against_other([12, 12.5, 11.9], [10, 10.2, 9.9]).beyond()), 1)

    def test_spreads_that_overlap(self):
        self.assertEqual(against_other([15, 9.8, 16], [10, 10.2, 9.9]).beyond(), [])

    def test_spreads_apart_by_less_than_noise(self):
        self.assertEqual(against_other([10.2, 10.2, 10.2], [10, 10, 10]).beyond(), [])

    def test_spreads_that_nearly_touch(self):
        self.assertEqual(against_other([10.5, 12, 13], [10.4, 10, 10]).beyond(), [])

    def test_rates(self):
        self.assertEqual(len(against_other([8, 8.1, 8.2], [10, 10.2, 9.9], better="higher")
                             .beyond()), 1)
        self.assertEqual(against_other([12, 12, 12], [10, 10, 10], better="higher").beyond(), [])

    def test_limit(self):
        """Ours and the limit of the same runs, with the aim between them."""
        behind = [run("tessera", number, median, limit=10, measure="p")
                  for number, median in enumerate((14, 14.2, 13.9))]
        self.assertEqual(len(judged(behind, "limit").beyond()), 1)
        within = [run("tessera", number, median, limit=10, measure="p")
                  for number, median in enumerate((12.5, 12.4, 12.6))]
        self.assertEqual(judged(within, "limit").beyond(), [])
        unsteady = [run("tessera", number, 14, limit=limit, measure="p")
                    for number, limit in enumerate((10, 9.9, 11))]
        self.assertEqual(judged(unsteady, "limit").beyond(), [])

    def test_one_round_has_the_quartiles_of_its_samples(self):
        self.assertEqual(len(against_other([14], [10], half_width=1).beyond()), 1)
        self.assertEqual(against_other([14], [10], half_width=3).beyond(), [])

    def test_two_rounds_have_the_quartiles_of_their_samples(self):
        self.assertEqual(len(against_other([14, 14.1], [10, 10.1], half_width=1).beyond()), 1)
        self.assertEqual(against_other([14, 14.1], [10, 10.1], half_width=3).beyond(), [])

    def test_one_number_decides_nothing(self):
        self.assertEqual(against_other([14], [10], samples=1).beyond(), [])

    def test_one_bad_round_of_six(self):
        """From six rounds on the extreme ones are left out of the spread."""
        reference = against_other([14, 14, 14, 14, 9, 14], [10, 10, 10, 10, 10, 15])
        self.assertEqual(len(reference.beyond()), 1)


class Verdicts(unittest.TestCase):
    def verdict(self, ours, theirs, **options):
        (comparison,) = against_other(ours, theirs, **options).comparisons.values()
        return comparison.verdict

    def test_each(self):
        self.assertEqual(self.verdict([12, 12.5, 11.9], [10, 10.2, 9.9]), "behind")
        self.assertEqual(self.verdict([10, 10.2, 9.9], [12, 12.5, 11.9]), "ahead")
        self.assertEqual(self.verdict([10, 10.2, 9.9], [10.1, 10, 9.8]), "equal")
        self.assertEqual(self.verdict([15, 9.8, 16], [10, 10.2, 9.9]), "undecided")
        self.assertEqual(self.verdict([5, 20, 10], [10, 10, 10]), "undecided",
                         "a median of 1 with a wide spread is no draw")

    def test_a_draw_of_one_round(self):
        self.assertEqual(self.verdict([10], [10], half_width=0.2), "equal")
        self.assertEqual(self.verdict([10], [10], half_width=2), "undecided")

    def test_ratio_and_its_spread(self):
        (comparison,) = against_other([12, 12.5, 11.9], [10, 10, 10]).comparisons.values()
        self.assertEqual((comparison.ratio, comparison.low, comparison.high), (1.2, 1.19, 1.25))

    def test_counts(self):
        reference = against_other([12, 12.5, 11.9], [10, 10.2, 9.9])
        self.assertEqual(reference.counts(),
                         {"behind": 1, "undecided": 0, "equal": 0, "ahead": 0})


if __name__ == "__main__":
    unittest.main()
