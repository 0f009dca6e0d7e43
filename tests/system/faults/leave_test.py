# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a child of fork() that calls exit() takes its parent's connections to other nodes
apart; exit() from a thread or a signal handler, in the middle of a transfer, crashes or hangs.

The programs are leave_cases.c and leave_cases.py. Run like the launch tests, with the library
behind: OSHRUN FOLDER_OF_PROGRAMS LIBRARY.
"""
import os
import sys

from launching import LaunchTest, main, program

CASES = program("leave_cases")
LIBRARY = os.path.abspath(sys.argv.pop(3)) if len(sys.argv) > 3 else ""
PYTHON_CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leave_cases.py")
PROVIDERS = ("tcp;ofi_rxm", "net", "sockets")
EXIT_CODE = 7  # of the programs
EXITS = 3


class Leave(LaunchTest):
    def nodes(self, provider, nodes=2, **more):
        return self.environment(SHMEM_OFI_PROVIDER=provider, SHMEM_SYMMETRIC_SIZE="16M",
                                SHMEM_VIRTUAL_NODES=str(nodes), **more)

    def check_intact(self, npes, out):
        self.assertEqual(sorted(out.splitlines()), [f"pe {pe} intact" for pe in range(npes)])

    def test_child_exits(self):
        for provider in PROVIDERS:
            for npes, nodes in ((2, 2), (3, 2), (4, 4)):
                with self.subTest(f"{provider} {npes}x{nodes}"):
                    out, error = self.run_job("-n", npes, CASES, "fork",
                                              environment=self.nodes(provider, nodes))
                    self.check_intact(npes, out)
                    self.assertEqual(error, "")

    def test_python_child_exits(self):
        for how, provider in (("fork", "tcp;ofi_rxm"), ("process", "net"), ("pool", "sockets"),
                              ("pool", "tcp;ofi_rxm")):
            with self.subTest(f"{how} {provider}"):
                out, _ = self.run_job("-n", 2, sys.executable, PYTHON_CASES, LIBRARY, how,
                                      environment=self.nodes(provider))
                self.check_intact(2, out)

    def test_exit_in_the_middle(self):
        """From another thread than the one that transfers, and from a handler on top of it. The
        others see their connections end; the job's code is that of the PE that left, all the same.
        """
        for case in ("thread", "handler"):
            for provider in PROVIDERS:
                for number in range(EXITS):
                    with self.subTest(f"{case} {provider} {number}"):
                        _, error = self.run_job("-n", 2, CASES, case, code=EXIT_CODE,
                                                environment=self.nodes(provider))
                        self.assertNotIn("killed by signal", error)


if __name__ == "__main__":
    main()
