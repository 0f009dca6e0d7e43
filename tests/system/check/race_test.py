# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a race that oshrun --check does not find, or explains by the wrong sentence, the
wrong lines or the wrong object; a right program in which it sees a race.

The programs are the cases of race_cases.c (wrong) and ordered_cases.c (right). Run like the launch
tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
from launching import main, program
from race_reports import (CHANGED, DEST, GET_WRITTEN, INCOMPLETE, MIXED, OWN_READ, OWN_WRITES,
                          READS, SOURCE, TEAM_MEMORY, TWO_WRITE, RaceTest, cases_of)

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
    "indexed": (TWO_WRITE, r"the variable data\+80, on PE 0"),
    "indexed_source": (READS, r"the variable data\+64, on PE 1"),
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


class Races(RaceTest):
    def run_case(self, kind, case, code, npes, *options, **variables):
        return self.run_checked(program(f"check_{kind}_cases"), case, code, npes, *options,
                                **variables)

    def check_all(self, npes, *options, **variables):
        for case in cases_of("race_cases.c"):
            with self.subTest(case=case, npes=npes, options=options):
                error = self.run_case("race", case, 1, npes, *options, **variables)
                self.check_report("race_cases.c", case, RACES[case], error)

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
