# SPDX-License-Identifier: BSD-3-Clause
"""Would break: under mpirun of Open MPI a PE that gets SIGQUIT, or that has waited for
SHMEM_HANG_REPORT seconds, does not print which PE makes the job hang, on one node or on several."""
import os
import shutil

from hangs import NPES
from launching import HANG_SECONDS, LaunchTest, main, skip_all
from launched import Launched


class Mpirun(Launched, LaunchTest):
    NODES = "1"
    LAUNCHER = ("mpirun", "--oversubscribe", "-n", str(NPES))

    def setUp(self):
        super().setUp()
        # mpirun's own folder stays when it is killed, and is not what is tested here.
        self.addCleanup(lambda: [shutil.rmtree(os.path.join(self.folder, name))
                                 for name in os.listdir(self.folder) if name.startswith("ompi.")])

    def environment(self, **more):
        return super().environment(OMPI_ALLOW_RUN_AS_ROOT="1", SHMEM_VIRTUAL_NODES=self.NODES,
                                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)

    def test_who_has_exited_is_named(self):
        # mpirun ends such a job by itself.
        process = self.start_probe("left")
        _, error = process.communicate(timeout=HANG_SECONDS)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(error, r"rank 1|,1\]|process")


class MpirunVirtualNodes(Mpirun):
    NODES = "2"


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        skip_all("there is no mpirun")
    main()
