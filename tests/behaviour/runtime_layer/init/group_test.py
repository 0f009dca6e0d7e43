# SPDX-License-Identifier: BSD-3-Clause
"""Would break: processes that no launcher has started do not become PEs by a unique id, on one node
or on virtual ones; a mistake or the death of one of them hangs the others, leaves a process, or is
not explained.

Usage: group_test.py GROUP_CASES.
"""
import os
import re
import signal
import subprocess
import sys
import unittest

CASES = os.path.abspath(sys.argv.pop())
LIMIT_SECONDS = 120
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("SHMEM_", "PMI", "TESSERA_JOB"))}


def start(case, pe, npes, unique_id, settings):
    return subprocess.Popen([CASES, case, str(pe), str(npes), unique_id], text=True,
                            env={**CLEAN, "SHMEM_SYMMETRIC_SIZE": "16M", **settings},
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run(case, npes, came=None, **settings):
    """Starts the group. RETURNS the statuses by PE, and all the processes wrote to stderr."""
    first = start(case, 0, npes, "make", settings)
    processes = [first]
    unique_id = first.stdout.readline().strip()
    processes += [start(case, pe, npes, unique_id, settings) for pe in range(1, came or npes)]
    try:
        errors = "".join(process.communicate(timeout=LIMIT_SECONDS)[1] for process in processes)
    except subprocess.TimeoutExpired:
        for process in processes:
            process.kill()
        raise
    return [process.returncode for process in processes], errors


class GroupTest(unittest.TestCase):
    def check_good(self, case, npes, **settings):
        statuses, errors = run(case, npes, **settings)
        self.assertEqual((statuses, errors), ([0] * npes, ""))

    def test_work_on_one_node(self):
        for npes in (1, 2, 3, 4, 5, 8):
            self.check_good("work", npes)

    def test_work_on_one_node_with_shared_static_data(self):
        for npes in (2, 5):
            self.check_good("work", npes, SHMEM_STATIC_DATA="shared")

    def test_work_on_virtual_nodes(self):
        for npes, nodes, provider in ((4, 2, "tcp;ofi_rxm"), (5, 5, "tcp;ofi_rxm"), (3, 2, "net")):
            self.check_good("work", npes, SHMEM_VIRTUAL_NODES=str(nodes),
                            SHMEM_OFI_PROVIDER=provider)

    def test_init_counts(self):
        self.check_good("twice", 3)

    def test_mistakes_of_arguments(self):
        for case, npes, text in (
                ("id", 1, r"shmemx_init_uid: uid 0x\w+ holds no unique id; "),
                ("number", 1, r"shmemx_init_uid: pe 1 is not in \[0, npes = 1\)"),
                ("level", 1, r"shmemx_init_uid: requested thread level 17 is none of "),
                ("count", 3, r"a process came as PE \d of the group, but .* npes "),
                ("taken", 3, r"a process came as PE 0 of the group, but this number is taken")):
            with self.subTest(case):
                statuses, errors = run(case, npes)
                self.assertRegex(errors, text)
                self.assertEqual(statuses, [1] * npes, errors)

    def test_ends_of_one_pe_end_all(self):
        last = {"fatal": (1, r"shmem_long_p: pe 4 is not in \[0, 4\)"),
                "global": (7, "^"),
                "die": (-signal.SIGKILL, "PE 3 has ended without shmem_finalize")}
        for case, (status, text) in last.items():
            for nodes in ("1", "2"):
                with self.subTest(f"{case} on {nodes} nodes"):
                    statuses, errors = run(case, 4, SHMEM_VIRTUAL_NODES=nodes)
                    self.assertEqual(statuses[3], status, errors)
                    self.assertEqual(statuses[:3], [abs(status) if case == "global" else 1] * 3,
                                     errors)
                    self.assertRegex(errors, text)

    def test_a_pe_that_never_comes(self):
        statuses, errors = run("work", 3, came=2, SHMEM_NETWORK_TIMEOUT="2")
        self.assertEqual(statuses, [1, 1])
        self.assertTrue(re.search(r"only 2 of the group's 3 PEs have come", errors), errors)

    def test_exit_without_finalize(self):
        statuses, errors = run("exit", 3)
        self.assertEqual(statuses, [0, 0, 0], errors)
        self.assertIn("the program ends without shmem_finalize", errors)


if __name__ == "__main__":
    unittest.main()
