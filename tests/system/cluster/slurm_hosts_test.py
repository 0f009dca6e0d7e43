# SPDX-License-Identifier: BSD-3-Clause
"""Would break: jobs of a real Slurm, with a slurmd on each of several hosts, do not run across
them, or survive their ends."""
import os
import signal
import sys

import lab
from case import END_SECONDS, EVEN, PAIR, THREE, UNEVEN, ClusterTest, World, main
from jobs import PROBE, Endings, Programs


class SlurmTest(ClusterTest):
    def launch(self, layout, command, environment=None):
        return World.slurm.srun(layout, command, environment)


class ProgramsTest(Programs, SlurmTest):
    def test_two_hosts(self):
        self.run_programs(PAIR, ["conformance_rma", "ordering_test"])
        self.run_programs(EVEN, ["contexts_test", "conformance_signals"])
        self.run_programs(UNEVEN, ["conformance_setup", "deprecated_test"])

    def test_three_hosts(self):
        self.run_programs(THREE, ["setup_test", "conformance_memory"])

    def test_random_programs(self):
        self.run_random(UNEVEN, 8000, 5)


class EndingsTest(Endings, SlurmTest):
    """With -K: without it, Slurm leaves the others alone when the only PE of a host dies."""

    def launch(self, layout, command, environment=None):
        return World.slurm.srun(layout, command, environment, ["-K"])

    def test_killed_pe_without_option(self):
        job = World.slurm.srun(EVEN, [PROBE, "wait"])
        os.kill(self.pids(job, len(EVEN))[2], signal.SIGKILL)
        self.finish(job, None, END_SECONDS)


if __name__ == "__main__":
    sys.exit(main(with_slurm=True, missing=lab.needs_slurm()))
