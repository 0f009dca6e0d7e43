# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a count so large that the bytes wrap around moves a few bytes and says nothing, or
one that the heap has no room for, or NULL for an array, ends in a crash without a word.

The mistakes are made by extent_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import re
import subprocess

from launching import LaunchTest, main, program

CASES = program("extent_cases")
NPES = 3
COUNTS = ("wraps", "most", "heap")  # With one PE, total_wraps and total_most are the same counts.
COLLECTIVES = ("moves", "reductions", "to_all")
# Jobs on several nodes take longest. Arguments are checked before any PE is reached, so one routine
# of each kind shows that the job ends there, too; NULL is tried where a transport would move data.
BETWEEN_NODES = ("shmem_long_fcollect", "shmem_alltoallsmem", "shmem_collect32",
                 "shmem_long_sum_reduce", "shmem_int_sum_exscan", "shmem_double_sum_to_all")
NULL_BETWEEN_NODES = ("shmem_long_put", "shmem_getmem", "shmem_long_iput", "shmem_long_put_signal",
                      "shmem_uint64_atomic_fetch_add_nbi", "shmem_long_fcollect")
NULL_ON_A_NODE = (*NULL_BETWEEN_NODES, "shmem_alltoall64", "shmem_long_sum_reduce",
                  "shmem_int_sum_exscan")
# Types differ in nothing but their size, so all mistakes are made with one of them.
OTHER_TYPE = re.compile("shmem_(char|int|longdouble)_(broadcast|f?collect|alltoalls?)$")
LOCAL = {"put": ("null_source",), "get": ("null_dest",), "fetch": ("null_dest",)}


def routines():
    listed = subprocess.run([CASES, "list"], capture_output=True, text=True, check=True)
    return [line.split() for line in listed.stdout.splitlines()]


def count_message(routine):
    return (rf"{routine}: (nelems|nreduce) \d+ of \d+ bytes( for each of \d+ PEs)?(, strided)? do "
            r"not fit (behind (dest|source) 0x[0-9a-f]+: the symmetric heap ends \d+ bytes behind "
            r"that address|into any memory \((dest|source) 0x[0-9a-f]+\)); check the number of "
            "elements")


def null_message(routine, name):
    return rf"{routine}: {name} is NULL, with .+; pass an array"


class Extents(LaunchTest):
    def check(self, routine, mistake, message, npes=1, **variables):
        with self.subTest(routine=routine, mistake=mistake, npes=npes, **variables):
            variables.update(SHMEM_SYMMETRIC_SIZE="4M", SHMEM_TEAM_MEMORY_SIZE="2M",
                             SHMEM_LOCAL_MEMORY_SIZE="2M")
            # A program without oshrun is one PE and starts sooner.
            options = {"launcher": [CASES]} if npes == 1 else {}
            arguments = [routine, mistake]
            if npes > 1:
                arguments = ["-n", npes, CASES, *arguments]
            _, error = self.run_job(*arguments, code=1, environment=self.environment(**variables),
                                    **options)
            told = [line for line in error.splitlines() if line.startswith("[pe ")]
            self.assertIn(len(told), range(1, npes + 1), error)
            for line in told:
                self.assertRegex(line, rf"^\[pe \d\] {message}$")

    def check_nulls(self, kind, routine, *, npes=1, **variables):
        for mistake in LOCAL.get(kind, ("null_dest", "null_source")):
            # The only PE is the root, whose dest the routine does not touch.
            if mistake == "null_dest" and re.match("shmem_broadcast[36]", routine):
                continue
            name = "fetch" if kind == "fetch" else mistake.removeprefix("null_")
            self.check(routine, mistake, null_message(routine, name), npes, **variables)

    def test_one_pe(self):
        for kind, routine in routines():
            if OTHER_TYPE.match(routine):
                self.check(routine, "wraps", count_message(routine))
                continue
            self.check_nulls(kind, routine)
            if kind in COLLECTIVES:
                for mistake in COUNTS if kind != "to_all" else ("heap",):
                    self.check(routine, mistake, count_message(routine))

    def test_names(self):
        names = {routine for _, routine in routines()}
        self.assertLessEqual({*BETWEEN_NODES, *NULL_ON_A_NODE}, names, "extent_cases lacks them")

    def test_several_pes(self):
        for kind, routine in routines():
            if kind not in COLLECTIVES or OTHER_TYPE.match(routine):
                continue
            mistake = "total_wraps" if kind != "to_all" else "heap"
            for nodes in ("1", str(NPES)) if routine in BETWEEN_NODES else ("1",):
                self.check(routine, mistake, count_message(routine), NPES,
                           SHMEM_VIRTUAL_NODES=nodes)

    # Each contribution has room, all together do not.
    def test_sum_of_contributions(self):
        message = (r"shmem_long_collect: \d+ bytes at 0x[0-9a-f]+ run past the end of the "
                   r"symmetric heap, which ends \d+ bytes behind that address; check the number "
                   "of elements")
        for algorithm in ("linear", "direct", "ring"):
            for nodes in ("1", str(NPES)):
                self.check("shmem_long_collect", "half_heap", message, NPES,
                           SHMEM_COLLECT_ALGORITHM=algorithm, SHMEM_VIRTUAL_NODES=nodes)

    def test_null_on_several_pes(self):
        for nodes, wanted in (("1", NULL_ON_A_NODE), (str(NPES), NULL_BETWEEN_NODES)):
            for kind, routine in routines():
                if routine in wanted:
                    self.check_nulls(kind, routine, npes=NPES, SHMEM_VIRTUAL_NODES=nodes)


if __name__ == "__main__":
    main()
