# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job of srun with the variables of docs/run/timeline.md has no timeline, or one
that lacks calls.

Runs in a private Slurm (support/private_slurm.py).
"""
import sys

import private_slurm
from launched_timelines import NPES, Launched
from timelines import TimelineTest


class Srun(Launched, TimelineTest):
    def launcher(self, **variables):
        exports = [f"{name}={value}" for name, value in variables.items()]
        return ["srun", "--immediate=30", "--mpi=pmix", "-N1", "-n", str(NPES),
                "--export=" + ",".join(["ALL", *exports])]


if __name__ == "__main__":
    sys.exit(private_slurm.main())
