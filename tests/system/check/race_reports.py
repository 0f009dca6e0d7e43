# SPDX-License-Identifier: BSD-3-Clause
"""The reports of races, as race_test.py and load_test.py expect them: the mistake, the memory, and
the lines of the case that are marked A and B.
"""
import os
import re

from launching import LaunchTest

TWO_WRITE = "two PEs write the same memory at the same time"
READS = "one PE reads memory while another PE writes it"
MIXED = "atomic and plain access to the same word at the same time"
INCOMPLETE = "memory is used that a put may not have written yet"
OWN_READ = "a PE reads what its own put may not have written yet"
OWN_WRITES = "two puts or atomics of a PE to the same memory may arrive in any order"
GET_WRITTEN = "memory is written that a nonblocking get may still read"
SOURCE = "the source of a nonblocking put is written before it is complete"
CHANGED = "the source of a nonblocking put was changed before it is complete"
DEST = "the dest of a nonblocking operation is used before it is complete"

# The form for several hosts.
TEAM_MEMORY = {"TESSERA_CHECK_TEAM_MEMORY": "1", "SHMEM_TEAM_MEMORY_SIZE": "256M"}

FOLDER = os.path.dirname(os.path.abspath(__file__))


def cases_of(file_name):
    """The body of each case, and the number of its first line."""
    with open(f"{FOLDER}/{file_name}", encoding="utf-8") as file:
        text = file.read()
    return {match[1]: (match[0], text.count("\n", 0, match.start()) + 1)
            for match in re.finditer(r"^CASE\((\w+)\) \{.*?^\}", text, flags=re.M | re.S)}


def marked_lines(case, mark):
    body, first = case
    return [first + i for i, line in enumerate(body.split("\n"))
            if re.search(rf"//(.* |){mark}\b", line)]


class RaceTest(LaunchTest):
    def run_checked(self, path, case, code, npes, *options, **variables):
        variables.setdefault("SHMEM_SYMMETRIC_SIZE", "16M")
        _, error = self.run_job("-n", npes, "--check", *options, path, case, code=code,
                                environment=self.environment(**variables))
        return error

    def check_report(self, file_name, case, expected, error):
        """`expected`: the mistake, and the memory that the report names ("": that of a transfer,
        which has no line)."""
        mistake, memory = expected
        body = cases_of(file_name)[case]
        self.assertRegex(error, rf"\[pe \d\] check: {mistake}\n")
        # One PE's report is whole; another PE may tell of the same race.
        report = re.split(r"^(?=\[pe \d\])", error[error.index("check: " + mistake):],
                          flags=re.M)[0]
        if memory:
            self.assertRegex(report, f"memory: {memory}\n")
        self.assertIn("missing: ", report)
        told = {int(line) for line in re.findall(rf" at \w+ \({file_name}:(\d+)\)", report)
                if int(line) >= body[1]}
        self.assertTrue(told & set(marked_lines(body, "A")), f"line A: {report}")
        self.assertTrue(told & set(marked_lines(body, "B")), f"line B: {report}")
