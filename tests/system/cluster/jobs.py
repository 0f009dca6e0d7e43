# SPDX-License-Identifier: BSD-3-Clause
"""The tests that every launcher must pass: programs of the API on several hosts, and jobs that end
in all the ways jobs end. Each launcher runs other programs; those with the most round trips (locks,
signals, waits) run on virtual nodes only, which use the same transport. mpirun_hosts_test.py,
slurm_hosts_test.py and oshrun_hosts_test.py say how a job is started.
"""
import os
import signal

from case import ALTERNATING, ANY, END_SECONDS, EVEN, THREE, UNEVEN, bin_program, launch_program

PROBE = launch_program("shmem_probe")
CLUSTER_PROBE = bin_program("cluster_probe")


def where(layout):
    """The output of `cluster_probe where`."""
    lines = []
    for pe, host in enumerate(layout):
        here = ",".join(str(other) for other, its in enumerate(layout) if its == host)
        lines.append(f"pe {pe} host {host} team {here} mapped {here}")
    return lines


class Programs:
    """Would break: routines do not work between hosts, or PEs of different hosts take each other
    for neighbours."""

    def test_hosts_are_nodes(self):
        for layout in (EVEN, UNEVEN, ALTERNATING, THREE):
            with self.subTest(layout):
                out, error = self.run_job(layout, CLUSTER_PROBE, "where")
                self.assertEqual(sorted(out.splitlines()), where(layout), error)

    def test_static_data(self):
        for layout in (UNEVEN, ALTERNATING):
            with self.subTest(layout):
                out, error = self.run_job(layout, CLUSTER_PROBE, "static")
                expected = [f"pe {pe} static data are right" for pe in range(len(layout))]
                self.assertEqual(sorted(out.splitlines()), expected, error)

    def test_settings_reach_all_hosts(self):
        out, error = self.run_job(UNEVEN, PROBE, environment={"SHMEM_SYMMETRIC_SIZE": "8M",
                                                              "SHMEM_DEBUG": "1"})
        self.assertEqual(len(out.splitlines()), len(UNEVEN), error)

    def test_init_may_come_again(self):
        out, _ = self.run_job(EVEN, PROBE, "again")
        self.assertEqual(len(out.splitlines()), len(EVEN))

    def test_non_coherent_memory(self):
        """A file of the folder that the hosts share, and files of their own folders."""
        for layout in (UNEVEN, ALTERNATING):
            with self.subTest(layout):
                self.run_job(layout, bin_program("noncoherent_test"), environment={
                    "SHMEM_HEAP": "noncoherent:/tmp/shared/public", "SHMEM_SYMMETRIC_SIZE": "16M"})
        _, error = self.run_job(UNEVEN, bin_program("noncoherent_test"), code=1, environment={
            "SHMEM_HEAP": "noncoherent:/dev/shm/public", "SHMEM_SYMMETRIC_SIZE": "16M"})
        for host in set(UNEVEN):
            os.remove(f"/proc/{self.cluster.hosts[host].pid}/root/dev/shm/public")
        self.assertRegex(error, "PE [0-3] has stored to its part of the file, but this PE does not")

    def run_programs(self, layout, names):
        for name in names:
            with self.subTest(f"{name} on {' '.join(layout)}"):
                self.run_job(layout, bin_program(name),
                             environment={"SHMEM_SYMMETRIC_SIZE": "64M"})

    def run_random(self, layout, seed, sequences):
        self.run_job(layout, bin_program("random_test"), "--seed", seed, "--sequences", sequences,
                     environment={"SHMEM_SYMMETRIC_SIZE": "64M"})


class Endings:
    """Would break: PEs of some host outlive their job, or no message says why it ended."""

    # The exit codes of launchers for a PE that a signal ends or that leaves early, and for
    # shmem_global_exit(0): srun kills the other PEs, and before Slurm 24.11 reports that. None: any
    # code but 0.
    code_of_killed = None
    code_of_leaving = None
    code_of_global_exit_0 = ANY

    def test_global_exit(self):
        for layout in (EVEN, THREE):
            self.run_job(layout, PROBE, "global", 5, code=5)
        self.run_job(EVEN, PROBE, "global", 0, code=self.code_of_global_exit_0)

    def test_misuse(self):
        _, error = self.run_job(UNEVEN, PROBE, "misuse", code=1)
        self.assertIn("[pe 3] shmem_long_p: pe 9 is not in [0, 4)", error)

    def test_abort(self):
        _, error = self.run_job(EVEN, PROBE, "kill", int(signal.SIGABRT), code=None)
        self.assertNotEqual(error, "")

    def test_leaving_without_finalize(self):
        _, error = self.run_job(EVEN, PROBE, "exit", 3, code=self.code_of_leaving)
        self.assertNotEqual(error, "")

    def test_killed_pe(self):
        for victim in (0, 3):
            with self.subTest(f"pe {victim}"):
                job = self.launch(THREE, [PROBE, "wait"])
                os.kill(self.pids(job, 4)[victim], signal.SIGKILL)
                _, error = self.finish(job, self.code_of_killed, END_SECONDS)
                self.assertNotEqual(error, "")
                self.check_nothing_left()

    def test_signal_to_the_launcher(self):
        job = self.launch(EVEN, [PROBE, "wait"])
        self.pids(job, 4)
        os.kill(self.launcher(job), signal.SIGTERM)
        self.finish(job, None, END_SECONDS)

    def test_killed_launcher(self):
        job = self.launch(THREE, [PROBE, "wait"])
        self.pids(job, 4)
        os.kill(self.launcher(job), signal.SIGKILL)
        self.finish(job, ANY, END_SECONDS)
        self.check_nothing_left()

    @staticmethod
    def launcher(job):
        """nsenter and env have become the launcher: it is the process that we started."""
        return job.pid
