#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints how many tests passed, failed and were skipped, and each reason to skip with its tests.

Usage: skipped.py RESULTS, a file that `ctest --output-junit` has written. A test that is skipped as
a whole prints its reason as `skipped: REASON`. Programs of GoogleTest and of unittest also skip
parts; these count as passed, and stand in a list of their own.
"""
import collections
import re
import sys
import xml.etree.ElementTree

WHOLE = re.compile(r"\b(?:skipped|left out): *(.+)")
PARTS = re.compile(r"^.*: Skipped\n(.+)\n|\.\.\. skipped (?:'(.+)'|\"(.+)\")$", re.MULTILINE)
NAMES_MAX = 4


def reason_of(output):
    """RETURNS the reason that a skipped test prints, or the last line of its output."""
    found = WHOLE.search(output)
    lines = output.split("\n")
    return found.group(1) if found else next(filter(None, map(str.strip, reversed(lines))), "?")


def status_of(test):
    """A test that another one keeps from running, or whose program is not there, has failed."""
    if test.get("status") == "run":
        return "passed"
    skipped = test.find("skipped")
    by_itself = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if by_itself or test.get("status") == "disabled" else "failed"


def read(path):
    """RETURNS ({status: number of tests}, {reason: tests}, {reason: tests with skipped parts})."""
    counts = collections.Counter()
    skipped, parts = collections.defaultdict(list), collections.defaultdict(list)
    for test in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        output = test.findtext("system-out") or ""
        status = status_of(test)
        counts[status] += 1
        if status == "skipped":
            skipped[reason_of(output)].append(test.get("name"))
        for reason in sorted({"".join(found) for found in PARTS.findall(output)}):
            parts[reason.strip()].append(test.get("name"))
    return counts, skipped, parts


def table(title, tests_by_reason):
    """The reason that most tests give comes first."""
    if not tests_by_reason:
        return []
    lines = ["", title]
    for reason, tests in sorted(tests_by_reason.items(), key=lambda item: (-len(item[1]), item)):
        names = ", ".join(tests[:NAMES_MAX])
        if len(tests) > NAMES_MAX:
            names += f" and {len(tests) - NAMES_MAX} others"
        lines += [f"  {reason}", f"      {len(tests):4}  {names}"]
    return lines


def main():
    counts, skipped, parts = read(sys.argv[1])
    lines = [*table("Parts of tests that were skipped, by reason:", parts),
             *table("Skipped tests, by reason:", skipped), "",
             ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped"))]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
