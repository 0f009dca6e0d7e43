# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a PE that gets no core for longer than SHMEM_NETWORK_TIMEOUT ends a job of virtual
nodes, although its host, and so the launcher, can see that it lives.

Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import re
import signal
import subprocess

from launching import LaunchTest, main, program

TIMEOUT = 1  # seconds without an answer


class StarvedTest(LaunchTest):
    def test_a_pe_without_a_core(self):
        for provider in ("tcp;ofi_rxm", "net", "sockets"):
            with self.subTest(provider):
                environment = self.environment(SHMEM_OFI_PROVIDER=provider,
                                               SHMEM_SYMMETRIC_SIZE="16M",
                                               SHMEM_NETWORK_TIMEOUT=str(TIMEOUT))
                job = self.start("-n", 3, "--virtual-nodes", 3, program("attacked"),
                                 environment=environment, stdin=subprocess.PIPE)
                pids = [int(re.search(r"pid (\d+)", line)[1]) for line in self.read_lines(job, 3)]
                job.stdin.write("\n")
                job.stdin.flush()
                os.kill(pids[0], signal.SIGSTOP)
                with self.assertRaises(subprocess.TimeoutExpired):
                    job.wait(4 * TIMEOUT)
                os.kill(pids[0], signal.SIGCONT)
                out, error = job.communicate("\n", timeout=50)
                self.assertEqual((job.returncode, error), (0, ""), out)
                self.assertEqual(sorted(out.splitlines()), [f"pe {pe} intact" for pe in range(3)])


if __name__ == "__main__":
    main()
