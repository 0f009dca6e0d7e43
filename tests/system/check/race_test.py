# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a race that oshrun --check does not find, or explains by the wrong sentence, the
wrong lines or the wrong object; a right program in which it sees a race.

The programs are the cases of race_cases.c (wrong) and ordered_cases.c (right). Run like the launch
tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import re

from launching import LaunchTest, main, program

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

# The mistake, and the memory that the report names ("": that of a transfer, which has no line).
RACES = {
    "put_put": (TWO_WRITE, r"the variable data\+24, on PE 0"),
    "put_get": (READS, "the variable data, on PE 1"),
    "put_get_third": (READS, "the variable data, on PE 2"),
    "put_source": (READS, "the variable data, on PE 1"),
    "get_dest": (TWO_WRITE, "the variable data, on PE 1"),
    "half_words": (TWO_WRITE, r"the variable pair(\.\d+)?\+4, on PE 0"),
    "overlap": (TWO_WRITE, r"the variable data\+56, on PE 0"),
    "strided": (TWO_WRITE, r"the variable data\+48, on PE 0"),
    "blocks": (TWO_WRITE, r"the variable data\+72, on PE 0"),
    "heap": (TWO_WRITE, "byte 8 of the block of 64 bytes that shmem_malloc at heap .*, on PE 0"),
    "flag_without_fence": (INCOMPLETE, "the variable data, on PE 1"),
    "put_flag_without_fence": (INCOMPLETE, r"the variable data\+16, on PE 1"),
    "fence_too_late": (INCOMPLETE, "the variable data, on PE 1"),
    "fence_for_another_pe": (INCOMPLETE, "the variable data, on PE 1"),
    "sync_is_no_barrier": (INCOMPLETE, "the variable data, on PE 1"),
    "context_not_quiet": (INCOMPLETE, "the variable data, on PE 1"),
    "signal_of_another_put": (INCOMPLETE, "the variable data, on PE 1"),
    "signal_not_waited_for": (READS, "the variable data, on PE 1"),
    "own_put_then_get": (OWN_READ, "the variable data, on PE 1"),
    "own_fence_then_get": (OWN_READ, "the variable data, on PE 1"),
    "own_put_then_put": (OWN_WRITES, "the variable data, on PE 1"),
    "atomic_and_put": (MIXED, "the variable data, on PE 1"),
    "atomic_and_get": (MIXED, "the variable data, on PE 1"),
    "reset_of_counter": (MIXED, "the variable data, on PE 0"),
    "lock_on_one_side": (TWO_WRITE, "the variable data, on PE 2"),
    "two_locks": (TWO_WRITE, "the variable data, on PE 0"),
    "dest_of_reduction": (TWO_WRITE, "the variable data, on PE 1"),
    "source_of_broadcast": (READS, "the variable data, on PE 0"),
    "barrier_of_others": (READS, "the variable data, on PE 2"),
    "team_of_others": (READS, "the variable data, on PE 2"),
    "nbi_source_by_call": (SOURCE, ""),
    "nbi_source_by_store": (CHANGED, ""),
    "nbi_dest_used": (DEST, ""),
    "nbi_fetch_used": (DEST, ""),
    "nbi_get_overwritten": (GET_WRITTEN, "the variable data, on PE 1"),
    "request_not_waited_for": (SOURCE, ""),
}

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


class Races(LaunchTest):
    def run_case(self, kind, case, code, npes, *options, **variables):
        variables.setdefault("SHMEM_SYMMETRIC_SIZE", "16M")
        _, error = self.run_job("-n", npes, "--check", *options, program(f"check_{kind}_cases"),
                                case, code=code, environment=self.environment(**variables))
        return error

    def check_report(self, case, body, error):
        mistake, memory = RACES[case]
        self.assertRegex(error, rf"\[pe \d\] check: {mistake}\n")
        # One PE's report is whole; another PE may tell of the same race.
        report = re.split(r"^(?=\[pe \d\])", error[error.index("check: " + mistake):],
                          flags=re.M)[0]
        if memory:
            self.assertRegex(report, f"memory: {memory}\n")
        self.assertIn("missing: ", report)
        told = {int(line) for line in re.findall(r" at \w+ \(race_cases.c:(\d+)\)", report)
                if int(line) >= body[1]}
        self.assertTrue(told & set(marked_lines(body, "A")), f"line A: {report}")
        self.assertTrue(told & set(marked_lines(body, "B")), f"line B: {report}")

    def check_all(self, npes, *options, **variables):
        for case, body in cases_of("race_cases.c").items():
            with self.subTest(case=case, npes=npes, options=options):
                self.check_report(case, body,
                                  self.run_case("race", case, 1, npes, *options, **variables))

    def check_ordered(self, npes, *options, **variables):
        for case in cases_of("ordered_cases.c"):
            with self.subTest(case=case, npes=npes, options=options):
                error = self.run_case("ordered", case, 0, npes, *options, **variables)
                self.assertEqual(error, "")

    def test_races_on_a_node(self):
        self.check_all(3)

    def test_races_on_several_nodes(self):
        self.check_all(4, "--virtual-nodes", 2)

    def test_races_by_team_memory(self):
        """As in jobs of several hosts: between nodes the checker puts and gets its cells."""
        self.check_all(3, "--virtual-nodes", 3, **TEAM_MEMORY)

    def test_ordered_on_a_node(self):
        for npes in (2, 3, 4):
            self.check_ordered(npes)

    def test_ordered_on_several_nodes(self):
        self.check_ordered(4, "--virtual-nodes", 2)
        self.check_ordered(3, "--virtual-nodes", 3, **TEAM_MEMORY)

    def test_warn(self):
        """With SHMEM_CHECK=warn the job goes on behind a race."""
        error = self.run_case("race", "own_put_then_get", 0, 2, SHMEM_CHECK="warn")
        self.assertEqual(error.count("check: " + OWN_READ), 1, error)

    def test_list(self):
        """Each case has an expected report."""
        self.assertEqual(sorted(cases_of("race_cases.c")), sorted(RACES))


if __name__ == "__main__":
    main()
