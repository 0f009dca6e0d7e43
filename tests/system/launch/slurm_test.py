# SPDX-License-Identifier: BSD-3-Clause
"""Would break: SHMEM programs do not run under srun --mpi=pmix on one node, do not find their
places on several, or start as N jobs of one PE under an srun that offers no PMIx.

Runs in a private Slurm (support/private_slurm.py).
"""
import os
import subprocess
import sys

import launching
import private_slurm
from launching import (HANG_SECONDS, NODES, PLAIN, SHMEM, LaunchTest, mpi_starts_second, program,
                       wait_gone)
from private_slurm import ADDRESS


class Slurm(LaunchTest):
    OPTIONS = ("--mpi=pmix", "-N1")

    def srun(self, npes, *arguments, options=None, **more):
        launcher = ["srun", "--immediate=30", *(options or self.OPTIONS), "-n", str(npes)]
        return self.run_job(*arguments, launcher=launcher, **more)

    def test_programs_run(self):
        for npes in (1, 2, 5):
            out, _ = self.srun(npes, SHMEM)
            self.assertEqual(sorted(line.split(" pid")[0] for line in out.splitlines()),
                             [f"pe {pe} of {npes}" for pe in range(npes)])

    def test_init_may_come_again(self):
        out, _ = self.srun(3, SHMEM, "again")
        self.assertEqual(len(out.splitlines()), 3)

    def test_beside_mpi(self):
        # Debian's MPICH speaks PMI-1, which Slurm offers by its plugin pmi2, and not PMIx.
        for mpi, plugin, arguments in (("openmpi", "pmix", ["shmem-first"]),
                                       ("openmpi", "pmix", ["shmem-last"]),
                                       ("mpich", "pmi2", ["group"])):
            path = program(f"heat1d.{mpi}")
            if os.path.exists(path) and ("shmem-first" not in arguments or mpi_starts_second()):
                with self.subTest(f"{mpi} {arguments}"):
                    out, _ = self.srun(3, path, *arguments, options=(f"--mpi={plugin}", "-N1"))
                    self.assertEqual(out, "heat1d: 3 PEs, heat 9006 before and after\n")

    def test_global_exit(self):
        self.srun(3, SHMEM, "global", 5, code=5)

    def test_late_finalize(self):
        self.srun(3, SHMEM, "atexit")

    def test_no_finalize(self):
        out, error = self.srun(3, SHMEM, "leave")
        self.assertEqual(len(out.splitlines()), 3)
        self.assertEqual(error.count("the program ends without shmem_finalize"), 1, error)

    def start_step(self, *arguments):
        launcher = ["srun", "--immediate=30", *self.OPTIONS, "-n3"]
        return self.start(*arguments, launcher=launcher)

    def test_dead_pe(self):
        for trick in (["kill", 9], ["exit", 3], ["return", 0], ["misuse"]):
            process = self.start_step(SHMEM, *trick)
            process.communicate(timeout=HANG_SECONDS)
            self.assertNotEqual(process.returncode, 0, trick)

    def test_killed_srun(self):
        process = self.start_step(SHMEM, "wait")
        pids = [int(line.split()[-1]) for line in self.read_lines(process, 3)]
        process.kill()
        process.wait()
        for pid in pids:
            wait_gone(pid)

    def test_terminated_srun(self):
        process = self.start_step(SHMEM, "wait")
        pids = [int(line.split()[-1]) for line in self.read_lines(process, 3)]
        process.terminate()
        process.communicate(timeout=HANG_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        for pid in pids:
            wait_gone(pid)

    def test_nodes_and_virtual_nodes(self):
        addresses = {ADDRESS, "127.0.0.1"}
        for nodes in (1, 2, 4):
            for distribution, hosts in (("block", [[0, 1, 2], [3, 4, 5]]),
                                        ("cyclic", [[0, 2, 4], [1, 3, 5]])):
                options = ("--mpi=pmix", "-N2", "--ntasks-per-node=3", "-m", distribution)
                out, _ = self.srun(6, NODES, nodes, options=options)
                self.check_places(out, hosts, nodes, addresses)
            out, _ = self.srun(5, NODES, nodes)
            self.check_places(out, [list(range(5))], nodes, addresses)

    def test_srun_without_pmix_is_refused(self):
        process = self.start(SHMEM, launcher=["srun", "--immediate=30", "--mpi=none", "-N1", "-n2"])
        _, error = process.communicate(timeout=HANG_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("srun --mpi=pmix", error)
        self.srun(1, SHMEM, options=("--mpi=none", "-N1"))

    def test_oshrun_inside_a_step(self):
        out, _ = self.srun(1, launching.OSHRUN, "-n", 2, SHMEM)
        self.assertEqual(len(out.splitlines()), 2)


class SlurmVirtualNodes(Slurm):
    """The same with two virtual nodes."""

    def environment(self, **more):
        return super().environment(SHMEM_VIRTUAL_NODES="2", **more)

    test_nodes_and_virtual_nodes = None
    test_srun_without_pmix_is_refused = None
    test_oshrun_inside_a_step = None


class SlurmTwoNodes(SlurmVirtualNodes):
    """The same with two nodes of Slurm, of two virtual nodes each."""

    # Without -K, a job whose only PE on a node was killed goes on until the others miss it.
    OPTIONS = ("--mpi=pmix", "-K", "-N2")

    def test_programs_run(self):
        for npes in (2, 5):
            out, _ = self.srun(npes, SHMEM)
            self.assertEqual(len(out.splitlines()), npes)


class HandOver(LaunchTest):
    """oshrun in an allocation of two nodes, where it becomes srun."""

    def oshrun(self, *arguments, **more):
        # salloc asks a controlling terminal for input, and tests have none to offer.
        launcher = ["salloc", "--quiet", "--no-bell", "--immediate=30", "-N2",
                    "--ntasks-per-node=3", launching.OSHRUN]
        return self.run_job(*arguments, launcher=launcher, **more)

    def lines(self, *arguments, **more):
        return sorted(self.oshrun(*arguments, **more)[0].splitlines())

    def test_pes_are_placed(self):
        addresses = {ADDRESS}
        for options, hosts in (
                (["-n", 6], [[0, 1, 2], [3, 4, 5]]),
                ([], [[0, 1, 2], [3, 4, 5]]),
                (["-n", 6, "--map-by", "node"], [[0, 2, 4], [1, 3, 5]]),
                (["-n", 4, "--ntasks-per-node", 2], [[0, 1], [2, 3]]),
                (["--launcher", "srun", "--host", "n1:1,n2:3"], [[0], [1, 2, 3]]),
                (["--launcher", "srun", "--host", "n1,n2:3", "--map-by", "node"], [[0], [1, 2, 3]]),
                (["--launcher", "srun", "--host", "n2:2,n1:2", "-n", 3], [[0, 1], [2]])):
            out, error = self.oshrun(*options, "--verbose", NODES)
            self.check_places(out, hosts, 1, addresses)
            self.assertIn("handing over to: srun --mpi=pmix", error)

    def test_more_pes_than_cores(self):
        out, _ = self.oshrun("-n", 24, NODES)
        self.assertEqual(len(out.splitlines()), 24)

    def test_job_on_this_host_only(self):
        out, error = self.oshrun("--launcher", "local", "-n", 4, NODES)
        self.check_places(out, [list(range(4))], 1, {"127.0.0.1"})
        self.assertEqual(error, "")

    def test_options_are_translated(self):
        show = ["sh", "-c", 'echo "$A $SHMEM_VIRTUAL_NODES $PWD"']
        os.environ["SLURM_EXPORT_ENV"] = "NONE"  # As sbatch --export=NONE leaves it.
        self.addCleanup(os.environ.pop, "SLURM_EXPORT_ENV")
        self.assertEqual(self.lines("-n", 2, "-x", "A=x y", "--virtual-nodes", 2, "--wdir", "/usr",
                                    *show), ["x y 2 /usr"] * 2)
        self.assertEqual(self.lines("-n", 2, "--tag-output", "echo", "x"), ["0: x", "1: x"])
        for binding in ("core", "numa", "none"):
            self.assertEqual(self.lines("-n", 2, "--bind-to", binding, "echo", "x"), ["x", "x"])
        out, _ = self.oshrun("-n", 2, "cat", input="typed\n")
        self.assertEqual(out, "typed\n", "PE 0 gets the input")
        out, _ = self.oshrun("-n", 2, "-l", "--stdin", 1, "cat", input="typed\n")
        self.assertEqual(out, "1: typed\n")
        self.assertEqual(self.lines("-n", 2, "-c", 1, "--bind-to", "hwthread", "--oversubscribe",
                                    "--mca", "a", "b", "-genv", "B", "c d", "sh", "-c",
                                    'echo "$B"'), ["c d", "c d"])
        self.assertEqual(self.lines("-n", 2, "-o", "out.%r", "sh", "-c", "echo x", cwd=self.folder),
                         [])
        for pe in range(2):
            path = os.path.join(self.folder, f"out.{pe}")
            with open(path) as file:
                self.assertEqual(file.read(), "x\n")
            os.unlink(path)
        _, error = self.oshrun("-n", 2, "-x", "SHMEM_VIRTUAL_NODES=x", "true", code=1)
        self.assertEqual(error.count("SHMEM_VIRTUAL_NODES"), 1)

    def test_several_programs(self):
        self.assertEqual(self.lines("-n", 1, "echo", "a", "1", ":", "-n", 2, "echo", "b"),
                         ["a 1", "b", "b"])
        _, error = self.oshrun("-n", 1, "echo", "a b", ":", "-n", 1, "echo", code=1)
        self.assertIn("blanks", error)

    def test_endings(self):
        # srun ends the other processes behind the first one that fails, and returns 143 where one
        # of these had not come to its own end.
        self.oshrun("-n", 1, "sh", "-c", "exit 3", code=3)
        self.oshrun("-n", 4, "sh", "-c", "exit 3", code=(3, 143))
        _, error = self.oshrun("-n", 4, NODES, 1, "last", code=1)
        self.assertIn("stops on purpose", error)
        _, error = self.oshrun("-n", 4, "--timeout", 1, "sleep", "1000", code=124)
        self.assertIn("timeout", error)
        self.oshrun("-n", 4, "--timeout", 100, "true")

    def test_oshrun_inside_a_step_of_two_nodes(self):
        launcher = ["srun", "--immediate=30", "--mpi=none", "-N2", "-n2"]
        out, _ = self.run_job(launching.OSHRUN, "-n", 2, NODES, launcher=launcher)
        self.assertEqual(len(out.splitlines()), 4, "each is a job on its host")


def leave_step():
    """A step without an end: its slurmstepd must not outlive the test."""
    srun = subprocess.Popen(["srun", "--immediate=30", "-N1", "-n1", PLAIN, "stubborn"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    srun.stdout.readline()
    srun.kill()
    srun.wait()


if __name__ == "__main__":
    sys.exit(private_slurm.main(leave_step))
