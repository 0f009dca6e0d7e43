# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a stranger who connects to the port of oshrun's PMIx server keeps a job from
starting, or fills the user's terminal with the library's own messages. Or a PE of the job that is
late, on a busy host, is taken for one.
"""
import os
import random
import re
import sys

from launching import PMIX, PROGRAMS, SHMEM, LaunchTest, main, preloading

STRANGER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pmix_stranger.py")
LATE = os.path.join(PROGRAMS, "late_client.so")
CLOSED = (r"oshrun: a connection from 127\.0\.0\.1:\d+ to the PMIx port \d+, the oldest of \d+ "
          r"that have not introduced themselves, is closed to make room; others like it are closed "
          r"without a word, and a PE among them finds PMIx unreachable")


class PmixPort(LaunchTest):
    def setUp(self):
        super().setUp()
        self.seed = random.SystemRandom().randrange(1 << 32)

    def run_stranger(self, kind, *options, program=(SHMEM,)):
        return self.run_job(*options, sys.executable, STRANGER, kind, self.seed, *program)

    def check_start(self, kind, npes, nodes):
        with self.subTest(f"{kind} {npes} {nodes} seed {self.seed}"):
            out, error = self.run_stranger(kind, "-n", npes, "--virtual-nodes", nodes)
            self.assertEqual(len(re.findall(r"(?m)^pe \d of \d pid \d+$", out)), npes, out)
            self.assertEqual(error, "")

    def test_nodes_meet_all_the_same(self):
        for kind in ("silent", "half", "trickle"):
            self.check_start(kind, 3, 2)
        self.check_start("silent", 4, 4)

    def test_pmix_programs_meet_all_the_same(self):
        for kind in ("silent", "half"):
            out, _ = self.run_stranger(kind, "-n", 3, program=(PMIX,))
            self.assertEqual(sorted(out.splitlines()),
                             [f"rank {i} of 3 sum 30 app 0" for i in range(3)])

    def test_junk_is_not_told(self):
        with self.subTest(f"seed {self.seed}"):
            out, error = self.run_stranger("junk", "-n", 2, "--virtual-nodes", 2)
            self.assertEqual(len(out.splitlines()), 2)
            self.assertEqual(error, "")

    def test_stranger_is_told(self):
        _, error = self.run_stranger("full", "-n", 2, "--virtual-nodes", 2)
        self.assertRegex(error, rf"^{CLOSED}\n$")

    def test_late_pe_is_no_stranger(self):
        variables = [f"{name}={value}" for name, value in preloading(LATE).items()]
        out, error = self.run_job("-n", 4, "--virtual-nodes", 2, "env", *variables, SHMEM)
        self.assertEqual(len(out.splitlines()), 4)
        self.assertEqual(error, "")


if __name__ == "__main__":
    main()
