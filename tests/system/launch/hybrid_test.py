# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a program cannot use MPI and OpenSHMEM in the same processes, in every order of init
and finalize, under the launchers of both; ranks and PEs differ."""
import os
import shutil

from launching import LaunchTest, main, mpi_starts_second, program, skip_all

ORDERS = ((), ("shmem-first",), ("shmem-last",), ("shmem-first", "shmem-last"))
OPENMPI, MPICH = program("heat1d.openmpi"), program("heat1d.mpich")
MPIEXEC_MPICH = "mpiexec.mpich"


class Hybrid(LaunchTest):
    def environment(self, **more):
        return super().environment(OMPI_ALLOW_RUN_AS_ROOT="1",
                                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)

    def check(self, launcher, path, arguments, **settings):
        with self.subTest(f"{launcher} {arguments} {settings}"):
            out, _ = self.run_job(path, *arguments, launcher=launcher,
                                  environment=self.environment(**settings))
            self.assertRegex(out, r"^heat1d: \d+ PEs, heat [\d.e+]+ before and after\n$")

    def mpirun(self, npes, *arguments, **settings):
        self.check(["mpirun", "--oversubscribe", "-n", str(npes)], OPENMPI, arguments, **settings)

    def test_open_mpi(self):
        if not os.path.exists(OPENMPI):
            self.skipTest("no mpicc.openmpi")
        for order in ORDERS:
            if "shmem-first" not in order or mpi_starts_second():
                self.mpirun(3, *order)
        self.mpirun(4, SHMEM_VIRTUAL_NODES="2")
        self.mpirun(3, "group")
        self.mpirun(4, "group", "shmem-last", SHMEM_VIRTUAL_NODES="2")

    def test_open_mpi_under_oshrun(self):
        if not os.path.exists(OPENMPI):
            self.skipTest("no mpicc.openmpi")
        for arguments in (*ORDERS[1:], ("group",)):
            with self.subTest(arguments):
                out, _ = self.run_job("-n", 3, OPENMPI, *arguments)
                self.assertEqual(out, "heat1d: 3 PEs, heat 9006 before and after\n")

    def test_mpich(self):
        if not os.path.exists(MPICH) or shutil.which(MPIEXEC_MPICH) is None:
            self.skipTest("no MPICH")
        for arguments, nodes in ((("group",), "1"), (("group", "shmem-last"), "2")):
            self.check([MPIEXEC_MPICH, "-n", "4"], MPICH, arguments, SHMEM_VIRTUAL_NODES=nodes)

    def test_mpich_without_group_is_refused(self):
        if not os.path.exists(MPICH) or shutil.which(MPIEXEC_MPICH) is None:
            self.skipTest("no MPICH")
        process = self.start(MPICH, launcher=[MPIEXEC_MPICH, "-n", "2"])
        _, error = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("shmemx_init_with", error)


if __name__ == "__main__":
    if not os.path.exists(OPENMPI) and not os.path.exists(MPICH):
        skip_all("no MPI compiler")
    main()
