#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when osh_tune does not write a profile, or the library and osh_info do not read it.

usage: osh_tune_test.py OSH_TUNE OSH_INFO
"""
import os
import subprocess
import sys
import tempfile
import unittest
from shlex import quote

OSH_TUNE = ""
OSH_INFO = ""


def oshrun():
    return quote(os.path.join(os.path.dirname(OSH_TUNE), "oshrun"))
FABRIC = ("fabric", "off_node_latency", "off_node_gap_per_byte", "off_node_overhead")
PARAMETERS = ("alpha", "context_switch", "beta", "beta_memory", "gamma")
# Not measured where helpers have no core, or save no time.
OPTIONAL = ("helper_bytes", "off_node_helper_bytes")


class OshTuneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SHMEM_", "SMA_", "XDG_"))}
        self.environment["HOME"] = self.folder

    def run_tool(self, *command, code=0, **settings):
        done = subprocess.run(command, env={**self.environment, **settings}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_a_profile_is_written_where_it_is_read(self):
        out, _ = self.run_tool(OSH_TUNE)
        path = out.splitlines()[-1].split("written to ")[1]
        self.assertEqual(os.path.dirname(path), os.path.join(self.folder, ".config", "tessera"))
        self.assertEqual(os.listdir(os.path.dirname(path)), [os.path.basename(path)])
        with open(path, encoding="utf-8") as file:
            lines = [line.split() for line in file
                     if not line.startswith(("#", *OPTIONAL))]
        self.assertEqual(tuple(line[0] for line in lines), PARAMETERS + FABRIC)
        for line in lines:
            if line[0] != "fabric":
                self.assertGreater(float(line[1]), 0, line)
        out, _ = self.run_tool(OSH_INFO, "--collectives")
        self.assertIn(path, out.splitlines()[0])

    def test_each_provider_has_its_parameters(self):
        out, _ = self.run_tool(OSH_TUNE, "-o", "-", "--helpers", "", "--fabric-helpers", "",
                               "--provider", "sockets", "tcp;ofi_rxm")
        lines = [line.split()[:2] for line in out.splitlines() if not line.startswith("#")]
        self.assertEqual(tuple(line[0] for line in lines), PARAMETERS + FABRIC + FABRIC)
        self.assertEqual([line[1] for line in lines if line[0] == "fabric"],
                         ["sockets", "tcp;ofi_rxm"])

    def test_the_network_may_be_left_out(self):
        path = os.path.join(self.folder, "a", "profile")
        self.run_tool(OSH_TUNE, "-o", path, "--fabric", "", "--helpers", "")
        out, _ = self.run_tool(OSH_INFO, "--collectives", SHMEM_PROFILE=path)
        self.assertIn(path, out.splitlines()[0])
        _, error = self.run_tool(OSH_TUNE, "-o", "-", "--fabric", "false", "--helpers", "")
        self.assertIn("remain the defaults", error)

    def test_the_size_for_helpers(self):
        """Forced, because the machines of tests have no cores to spare. A size that is measured
        there, if any, means nothing; but it is one of those that are tried."""
        launcher = f"env SHMEM_PROGRESS=helpers! {oshrun()} -n 1"
        out, error = self.run_tool(OSH_TUNE, "-o", "-", "--fabric", "", "--helpers", launcher)
        sizes = [line.split()[1] for line in out.splitlines() if line.startswith(OPTIONAL)]
        if not sizes:
            self.assertIn("helpers save no time here; the size for them remains", error)
        for size in sizes:
            self.assertIn(int(float(size)), [4096 << i for i in range(10)])
        out, error = self.run_tool(OSH_TUNE, "-o", "-", "--fabric", "", "--helpers", "false")
        self.assertNotIn(OPTIONAL[0], out)
        self.assertIn("the size for helpers remains the default", error)

    def test_the_size_for_helpers_between_nodes(self):
        launcher = (f"env SHMEM_PROGRESS=helpers! {oshrun()} -n 2"
                    " --virtual-nodes 2")
        out, error = self.run_tool(OSH_TUNE, "-o", "-", "--helpers", "", "--fabric-helpers",
                                   launcher)
        behind_fabric = out.split("\nfabric ")[1].splitlines()
        sizes = [line.split()[1] for line in behind_fabric if line.startswith(OPTIONAL)]
        if not sizes:
            self.assertIn("helpers save no time between nodes here", error)
        for size in sizes:
            self.assertIn(int(float(size)), [4096 << i for i in range(10)])
        out, error = self.run_tool(OSH_TUNE, "-o", "-", "--helpers", "", "--fabric-helpers",
                                   "false")
        self.assertNotIn(OPTIONAL[1], out)
        self.assertIn("the size for helpers between nodes remains the default", error)

    def test_failures_are_told(self):
        _, error = self.run_tool(OSH_TUNE, "-o", "-", "--node", "false", code=1)
        self.assertIn("false", error)
        _, error = self.run_tool(OSH_TUNE, "-o", "/proc/none/profile", "--fabric", "", code=1)
        self.assertIn("cannot write /proc/none/profile", error)
        _, error = self.run_tool(OSH_INFO, "--collectives", SHMEM_PROFILE="/none", code=1)
        self.assertIn("SHMEM_PROFILE=/none cannot be read", error)
        path = os.path.join(self.folder, "profile")
        with open(path, "w", encoding="utf-8") as file:
            file.write("alpha fast\n")
        _, error = self.run_tool(OSH_INFO, "--collectives", SHMEM_PROFILE=path, code=1)
        self.assertIn("line 1: 'alpha fast'", error)

    def test_what_users_name_is_shown(self):
        out, _ = self.run_tool(OSH_INFO, "--collectives", SHMEM_REDUCE_ALGORITHM="ring")
        self.assertIn("always ring", out)
        out, _ = self.run_tool(OSH_INFO, "--collectives", "-n", "8", "--nodes", "4")
        self.assertIn("8 PEs, at most 2 on each of 4 nodes", out)
        out, _ = self.run_tool(OSH_INFO, "--collectives", "--csv", "-n", "7")
        self.assertIn("reduce,rabenseifner,1024,", out)
        self.assertNotIn("hierarchical", "".join(line for line in out.splitlines()
                                                 if line.startswith("reduce,")))


if __name__ == "__main__":
    OSH_INFO = sys.argv.pop()
    OSH_TUNE = sys.argv.pop()
    unittest.main()
