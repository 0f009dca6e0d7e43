# SPDX-License-Identifier: BSD-3-Clause
"""The output of osh_info --doctor as data, and the comparison with what a test expects."""
import collections
import re
import unittest

LINE = re.compile(r"(?P<name>\S.{16})  (?P<verdict>ok|note|problem) +(?P<text>.*)")
Finding = collections.namedtuple("Finding", "name verdict text")


def findings_of(output):
    """The findings; the text has all lines, with the remedy behind "do:"."""
    found = []
    for line in output.splitlines():
        match = LINE.fullmatch(line)
        if match:
            found.append(Finding(match["name"].strip(), match["verdict"], match["text"]))
        elif found and line.startswith(" "):
            found[-1] = found[-1]._replace(text=found[-1].text + "\n" + line.strip())
    return found


class DoctorTest(unittest.TestCase):
    """REQUIRES: self.doctor(...) returns (exit code, output)."""

    def expect(self, result, name, verdict, pattern, remedy):
        """A finding of `name` has the verdict, the text and the remedy; the exit code tells
        problems."""
        code, output = result
        found = findings_of(output)
        whole = re.compile(f"{pattern}.*\ndo: .*{remedy}", re.DOTALL)
        self.assertTrue([one for one in found if one.name == name and one.verdict == verdict
                         and whole.search(one.text)],
                        f"no {verdict} of {name} with {whole.pattern!r}\n{output}")
        has_problem = any(one.verdict == "problem" for one in found)
        self.assertEqual(code, 1 if has_problem else 0, output)

    def expect_health(self, result):
        code, output = result
        problems = [one for one in findings_of(output) if one.verdict == "problem"]
        self.assertEqual((code, problems), (0, []), output)
        self.assertNotEqual(findings_of(output), [], output)
