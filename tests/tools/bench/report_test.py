#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Without this, bench/run's report could open with something else than where we stand, or draw
curves of two points and axes that cannot be read. Made-up runs."""
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench"))

# pylint: disable=wrong-import-position
from suite import build
from suite import drawing
from suite import plan
from suite import points
from suite import report

PROGRAM = {"aims": {}, "paper": [], "question": "?"}
MACHINE = [("Model name", "Fast <1>"), ("usable CPUs", "2"), ("load before", "0.10")]


def runs(program, ratio, npes=2, xs=(8,), rounds=3):
    """Three steady rounds in which ours takes `ratio` times as long as another library."""
    result = []
    for number in range(rounds):
        for library, time in (("tessera", 10 * ratio), ("other", 10)):
            lines = [f"@ measure={program}_time x={x} xname=bytes npes={npes} unit=ns better=lower "
                     f"median={time * x} q1={time * x} q3={time * x} samples=9" for x in xs]
            result.append({"program": program, "library": library, "npes": npes, "round": number,
                           "error": "", "lines": [*lines, "@ end"], "repeats": 0,
                           "clock": [71, 71], "first_clock": [71, 140]})
    return result


def page(results):
    programs = {it["program"]: {"name": it["program"], **PROGRAM} for it in results}
    suite = plan.Suite({}, "quick", programs)
    libraries = {name: build.Library(name, "oshcc", "oshrun") for name in ("tessera", "other")}
    outcome = report.Outcome(suite, libraries, MACHINE, results, [], [], [])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.html")
        report.write(path, outcome, points.collect(results))
        with open(path, encoding="utf-8") as file:
            return file.read()


def first_table(text):
    """RETURNS: [[(class, text) of each cell]] of each row"""
    table = text.partition("<table")[2].partition("</table>")[0]
    rows = []
    for row in table.split("<tr")[1:]:
        cells = re.findall(r"<t[dh]([^>]*)>(.*?)</t[dh]>", row, re.S)
        rows.append([(re.search(r'class="([^"]*)"', head + '"class=""').group(1),
                      re.sub(r"<[^>]*>", " ", body).split()) for head, body in cells])
    return rows


class FirstScreen(unittest.TestCase):
    def test_table_of_programs_and_pes(self):
        results = [*runs("fine", 0.5), *runs("draw", 1), *runs("slow", 1.5),
                   *runs("slow", 0.9, npes=4), *runs("slower", 2.5, npes=4)]
        libraries, counts, *rows = first_table(page(results))
        self.assertEqual([text for _, text in libraries], [["program"], ["other"]])
        self.assertEqual([text for _, text in counts], [["2", "PEs"], ["4", "PEs"]])
        names = [row[0][1][0] for row in rows]
        self.assertEqual(names, ["slower", "slow", "draw", "fine"], "what is behind comes first")
        classes = {row[0][1][0]: [cell[0] for cell in row[1:]] for row in rows}
        self.assertEqual(classes, {"fine": ["ahead", "none"], "draw": ["equal", "none"],
                                   "slow": ["behind", "ahead"], "slower": ["none", "behind"]})
        self.assertEqual(rows[1][1][1][:2], ["1.50", "1.50–1.50"], "ratio and its spread")

    def test_the_first_line_is_for_readers(self):
        text = page([*runs("fine", 0.5), *runs("draw", 1), *runs("slow", 1.5)])
        first = re.sub(r"<[^>]*>", "", text.partition("</h1>")[2].partition("</p>")[0]).strip()
        self.assertEqual(first, "Tessera is faster than other at 1 of 3 points, as fast at 1 and "
                                "slower at 1; it takes 1.00 times as long in the median.")

    def test_machine_and_clock_come_before_the_table(self):
        head = page(runs("fine", 0.5)).partition("<table")[0]
        self.assertIn("Fast &lt;1&gt;", head)
        self.assertIn("71 ns in 6 runs", head)
        self.assertIn("50 %", head, "the share of looks at a contended core")
        self.assertRegex(head, r"1\W+ahead")


class Curves(unittest.TestCase):
    def setUp(self):
        if not drawing.is_installed():
            self.skipTest("no Plotly for Python")

    def test_four_points_make_a_curve(self):
        self.assertEqual(page(runs("fine", 0.5, xs=(8, 64, 512))).count('id="picture'), 0)
        text = page(runs("fine", 0.5, xs=(8, 64, 512, 4096)))
        self.assertEqual(text.count('id="picture'), 2, "ratios, and times")
        self.assertLess(len(text), 2000000)


class Ticks(unittest.TestCase):
    def test_number_and_place(self):
        for low, high in ((0.5, 2), (0.04, 3), (1, 4), (7, 1e6), (0.9, 5), (1e-3, 1e9), (3, 13)):
            with self.subTest(low=low, high=high):
                ticks = drawing.ticks(low, high)
                self.assertTrue(3 <= len(ticks) <= drawing.TICKS_MAX, ticks)
                self.assertTrue(all(low <= value <= high for value in ticks), ticks)

    def test_powers_of_two(self):
        self.assertEqual(drawing.binary_ticks(8, 4 << 20), [8 ** power for power in range(1, 8)])
        self.assertEqual(drawing.binary_ticks(1, 64), [1, 2, 4, 8, 16, 32, 64])

    def test_labels(self):
        self.assertEqual([drawing.label(value) for value in (0.05, 2, 500, 5000, 2e6, 1e9)],
                         ["0.05", "2", "500", "5k", "2M", "1G"])
        self.assertEqual([drawing.binary_label(value) for value in (8, 512, 4096, 1 << 20)],
                         ["8", "512", "4Ki", "1Mi"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
