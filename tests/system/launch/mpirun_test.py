# SPDX-License-Identifier: BSD-3-Clause
"""Would break: SHMEM programs do not run under mpirun of Open MPI, which offers PMIx, or
survive it."""
import shutil
import signal
import subprocess

from launching import NODES, SHMEM, LaunchTest, main, preloading, program, skip_all, wait_gone


class Mpirun(LaunchTest):
    def environment(self, **more):
        return super().environment(OMPI_ALLOW_RUN_AS_ROOT="1",
                                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)

    def mpirun(self, npes, *arguments, code=0, **options):
        launcher = ["mpirun", "--oversubscribe", "-n", str(npes)]
        return self.run_mpirun_job(*arguments, launcher=launcher, code=code, **options)

    def test_programs_run(self):
        for npes in (1, 2, 5):
            out, _ = self.mpirun(npes, SHMEM)
            self.assertEqual(sorted(line.split(" pid")[0] for line in out.splitlines()),
                             [f"pe {pe} of {npes}" for pe in range(npes)])

    def test_init_may_come_again(self):
        out, _ = self.mpirun(3, SHMEM, "again")
        self.assertEqual(len(out.splitlines()), 3)

    def test_static_data_reach_everybody(self):
        # Not in every build they can be shared at all; oshrun, which needs no passing, tells.
        out, _ = self.run_job("-n", 2, SHMEM, "mapped")
        expected = "static data not mapped" if "not mapped" in out else "static data mapped"
        # 3, and more than fit into one message.
        for npes in (3, 140):
            out, _ = self.mpirun(npes, SHMEM, "mapped")
            self.assertEqual(out.splitlines().count(expected), npes)
        environment = self.environment(**preloading(program("no_sockets.so")))
        out, _ = self.mpirun(3, SHMEM, "mapped", environment=environment)
        self.assertEqual(out.splitlines().count(expected), 3)

    def test_endings(self):
        self.mpirun(3, SHMEM, "global", 5, code=5)
        self.mpirun(3, SHMEM, "global", 0, code=0)
        _, error = self.mpirun(3, SHMEM, "misuse", code=1)
        self.assertIn("[pe 2] shmem_long_p", error)
        self.mpirun(3, SHMEM, "kill", 9, code=137)
        self.mpirun(3, SHMEM, "exit", 3, code=3)
        self.mpirun(3, SHMEM, "exit", 0, code=1)
        for code in (3, 0):
            _, error = self.mpirun(3, SHMEM, "return", code, code=code or 1)
            self.assertIn("[pe 2] this PE ends without shmem_finalize", error)
        self.mpirun(3, SHMEM, "atexit")

    def test_no_finalize(self):
        out, error = self.mpirun(3, SHMEM, "leave")
        self.assertEqual(len(out.splitlines()), 3)
        self.assertEqual(error.count("the program ends without shmem_finalize"), 1, error)

    def test_where_sockets_are_forbidden(self):
        environment = self.environment(**preloading(program("no_sockets.so")))
        out, _ = self.mpirun(3, SHMEM, "again", environment=environment)
        self.assertEqual(len(out.splitlines()), 3)

    def test_virtual_nodes(self):
        for npes, nodes in ((1, 3), (5, 1), (5, 2), (4, 4), (3, 8)):
            out, _ = self.mpirun(npes, NODES, nodes)
            self.check_places(out, [list(range(npes))], nodes, {"127.0.0.1"})
        environment = self.environment(**preloading(program("no_sockets.so")))
        out, _ = self.mpirun(5, NODES, 2, environment=environment)
        self.check_places(out, [list(range(5))], 2, {"127.0.0.1"})

    def test_virtual_nodes_with_a_dead_pe(self):
        _, error = self.mpirun(4, NODES, 2, "last", code=1)
        self.assertIn("stops on purpose", error)

    def test_killed_mpirun(self):
        process = self.start(SHMEM, "wait", launcher=["mpirun", "--oversubscribe", "-n", "3"])
        pids = [int(line.split()[-1]) for line in self.read_lines(process, 3)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        for pid in pids:
            wait_gone(pid)


class MpirunAcrossNodes(Mpirun):
    """The same with two nodes, whose PEs reach each other over the fabric only."""

    def environment(self, **more):
        return super().environment(SHMEM_VIRTUAL_NODES="2", **more)

    test_virtual_nodes = None
    test_virtual_nodes_with_a_dead_pe = None

    def test_static_data_reach_everybody(self):
        # The program checks that they do, but they are not mapped.
        out, _ = self.mpirun(3, SHMEM, "mapped")
        self.assertEqual(out.splitlines().count("static data not mapped"), 3)


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        skip_all("there is no mpirun")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version:
        skip_all("mpirun is not Open MPI's")
    main()
