# SPDX-License-Identifier: BSD-3-Clause
"""Would break: under srun a PE that gets SIGQUIT, or that has waited for SHMEM_HANG_REPORT seconds,
does not print which PE makes the job hang, on one node or on several.

Runs in a private Slurm (support/private_slurm.py).
"""
import sys

import private_slurm
from hangs import NPES
from launched import Launched
from launching import HANG_SECONDS, LaunchTest


class Srun(Launched, LaunchTest):
    NODES = "1"
    LAUNCHER = ("srun", "--immediate=30", "--mpi=pmix", "-N1", "-n", str(NPES))

    def environment(self, **more):
        return super().environment(SHMEM_VIRTUAL_NODES=self.NODES, **more)

    def test_who_has_exited_is_named(self):
        # Slurm's PMIx plugin ends such a job by itself.
        process = self.start_probe("left")
        _, error = process.communicate(timeout=HANG_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(error, r"source = \[slurm\.pmix\.[0-9.]+:1\]")


class SrunVirtualNodes(Srun):
    NODES = "2"


if __name__ == "__main__":
    sys.exit(private_slurm.main())
