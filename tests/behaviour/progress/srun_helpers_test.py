#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: PEs under srun have no helpers, or wrong data, or helpers outlive them.

Usage: srun_helpers_test.py OSHRUN FOLDER CASES (helpers_cases.c). Runs in a private Slurm
(support/private_slurm.py).
"""
import sys

import private_slurm
from launching import LaunchTest

CASES = sys.argv[3]
if private_slurm.INSIDE in sys.argv:
    del sys.argv[3]


class Srun(LaunchTest):
    def run_sessions(self, npes, code=0, **settings):
        environment = self.environment(SHMEM_HELPER_SIZE="4K", SHMEM_SYMMETRIC_SIZE="16M",
                                       **settings)
        launcher = ["srun", "--immediate=30", "--mpi=pmix", "-N1", "-n", str(npes)]
        return self.run_job(CASES, "sessions", launcher=launcher, code=code,
                            environment=environment)

    def test_sessions(self):
        for npes in (1, 3):
            out, _ = self.run_sessions(npes, SHMEM_PROGRESS="helpers:2!", SHMEM_INFO="1")
            self.assertIn("put_nbi and get_nbi on the node from 4096 bytes on", out)

    def test_sessions_between_nodes(self):
        self.run_sessions(4, SHMEM_PROGRESS="helpers!", SHMEM_VIRTUAL_NODES="2")


if __name__ == "__main__":
    sys.exit(private_slurm.main())
