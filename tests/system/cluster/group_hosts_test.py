# SPDX-License-Identifier: BSD-3-Clause
"""Would break: processes on several hosts that no launcher has started do not become PEs by a
unique id, or take PEs of other hosts for neighbours; the end of one of them leaves the others.
"""
import sys

from case import ALTERNATING, EVEN, THREE, UNEVEN, ClusterTest, bin_program, main


class GroupTest(ClusterTest):
    def run_group(self, layout, case):
        """RETURNS the exit codes by PE, and all that the processes wrote to stderr."""
        def start(pe, unique_id):
            return self.cluster.start(layout[pe], [bin_program("group_cases"), case, pe,
                                                   len(layout), unique_id],
                                      {"SHMEM_SYMMETRIC_SIZE": "16M"})
        first = start(0, "make")
        unique_id = first.stdout.readline().strip()
        jobs = [first, *(start(pe, unique_id) for pe in range(1, len(layout)))]
        errors = "".join(self.finish(job, code="any")[1] for job in jobs)
        return [job.returncode for job in jobs], errors

    def test_work(self):
        for layout in (EVEN, UNEVEN, ALTERNATING, THREE):
            with self.subTest(layout):
                self.assertEqual(self.run_group(layout, "work"), ([0] * len(layout), ""))

    def test_ends_of_one_pe_end_all(self):
        for case, code, text in (("fatal", 1, "shmem_long_p: pe 4 is not in"),
                                 ("global", 7, ""),
                                 ("die", -9, "PE 3 has ended without shmem_finalize")):
            with self.subTest(case):
                codes, errors = self.run_group(THREE, case)
                self.assertEqual(codes[3], code, errors)
                self.assertEqual(codes[:3], [code if case == "global" else 1] * 3, errors)
                self.assertIn(text, errors)


if __name__ == "__main__":
    sys.exit(main())
