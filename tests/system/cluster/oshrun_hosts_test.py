# SPDX-License-Identifier: BSD-3-Clause
"""Would break: oshrun --host does not reach other hosts, or oshrun inside a Slurm allocation does
not start the job on its nodes; or what it promises for one host does not hold for several."""
import sys

import lab
from case import EVEN, THREE, UNEVEN, ClusterTest, World, bin_program, main, oshrun
from jobs import CLUSTER_PROBE, PROBE, Endings, where


class HostTest(ClusterTest):
    """oshrun --host, which hands over to mpirun."""

    def launch(self, layout, command, environment=None):
        return oshrun(self.cluster, layout, command, environment)


class HostProgramsTest(HostTest):
    def test_hosts(self):
        for layout in (EVEN, UNEVEN, THREE):
            with self.subTest(layout):
                out, error = self.run_job(layout, CLUSTER_PROBE, "where")
                self.assertEqual(sorted(out.splitlines()), where(layout), error)

    def test_settings_reach_all_hosts(self):
        # PEs that do not agree on the size end the job.
        out, _ = self.run_job(UNEVEN, PROBE, environment={"SHMEM_SYMMETRIC_SIZE": "8M"})
        self.assertEqual(len(out.splitlines()), len(UNEVEN))


class HostEndingsTest(Endings, HostTest):
    code_of_killed = 137
    code_of_leaving = 3
    code_of_global_exit_0 = 0


class AllocationTest(Endings, ClusterTest):
    """oshrun inside an allocation, which hands over to srun."""

    def launch(self, layout, command, environment=None):
        hosts = sorted(set(layout))
        return World.slurm.salloc(hosts, len(layout), [bin_program("oshrun"), *command],
                                  environment)

    @staticmethod
    def launcher(job):
        """The child of salloc."""
        with open(f"/proc/{job.pid}/task/{job.pid}/children") as file:
            return int(file.read().split()[0])

    def test_all_nodes_are_used(self):
        out, error = self.run_job(EVEN, CLUSTER_PROBE, "where")
        lines = sorted(out.splitlines())
        layout = [line.split()[3] for line in lines]  # Slurm's own choice.
        self.assertEqual(set(layout), set(EVEN))
        self.assertEqual(lines, where(layout), error)

    def test_this_host_alone(self):
        out, error = self.run_job(EVEN, "--launcher", "local", "-n", 3, CLUSTER_PROBE, "where")
        self.assertEqual(sorted(out.splitlines()), where(["h1", "h1", "h1"]), error)


if __name__ == "__main__":
    sys.exit(main(with_slurm=True, missing=lab.needs_mpirun() or lab.needs_slurm()))
