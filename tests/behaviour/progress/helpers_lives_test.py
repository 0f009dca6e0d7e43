# SPDX-License-Identifier: BSD-3-Clause
"""Would break: helpers outlive their job or oshrun, a job goes on without them, they disturb PEs
that start anew in the same place, or share cores with PEs without being told to; or PEs of other
launchers have none.

Usage: helpers_lives_test.py OSHRUN FOLDER CASES PROGRAM (helpers_cases.c, helpers_test.cpp).
"""
import os
import re
import shutil
import signal
import sys
import unittest
from shlex import quote

import processes
from launching import LaunchTest, main, wait_gone

CASES, PROGRAM = sys.argv[3:5]
del sys.argv[3:5]


def helpers_of(oshrun):
    """The processes that oshrun has started as helpers."""
    found = []
    with open(f"/proc/{oshrun.pid}/task/{oshrun.pid}/children") as file:
        for pid in map(int, file.read().split()):
            with open(f"/proc/{pid}/comm") as name:
                if name.read().strip() == "tessera-helper":
                    found.append(pid)
    return found


class Helpers(LaunchTest):
    def helped(self, progress="helpers:2!", **more):
        return self.environment(SHMEM_PROGRESS=progress, SHMEM_HELPER_SIZE="4K",
                                SHMEM_SYMMETRIC_SIZE="16M", **more)

    def start_busy(self, npes, *options):
        job = self.start("-n", npes, *options, CASES, "busy", environment=self.helped())
        self.assertEqual(self.read_lines(job, 1), ["ready"])
        return job, helpers_of(job)

    def test_sessions(self):
        for npes in (1, 3):
            self.run_job("-n", npes, CASES, "sessions", environment=self.helped())

    def test_sessions_between_nodes(self):
        for npes in (2, 5):
            self.run_job("-n", npes, "--virtual-nodes", npes, CASES, "sessions",
                         environment=self.helped())

    def test_program_behind_one_that_left(self):
        command = f"{quote(CASES)} leave; {quote(CASES)} sessions"
        self.run_job("-n", 3, "sh", "-c", command, environment=self.helped())

    def test_each_node_has_its_own(self):
        job, helpers = self.start_busy(4, "--virtual-nodes", 2)
        self.assertEqual(len(helpers), 4)
        job.send_signal(signal.SIGTERM)
        self.finish(job, 128 + signal.SIGTERM)

    def test_killed_helper_ends_the_job(self):
        job, helpers = self.start_busy(3)
        self.assertEqual(len(helpers), 2)
        os.kill(helpers[0], signal.SIGKILL)
        _, error = self.finish(job, 128 + signal.SIGKILL)
        self.assertRegex(error, rf"oshrun: a progress helper of node 0 \(host \S+, pid "
                                rf"{helpers[0]}\) was killed by signal 9 .*, ending the job")
        self.assertNotIn("oshrun: pe", error)

    def test_killed_pe_leaves_no_helper(self):
        job, helpers = self.start_busy(3)
        pes = [pid for pid, command in processes.processes_with(self.mark)
               if command.startswith(CASES)]
        self.assertEqual(len(pes), 3)
        os.kill(pes[0], signal.SIGKILL)
        _, error = self.finish(job, 128 + signal.SIGKILL)
        self.assertRegex(error, r"oshrun: pe \d .* was killed by signal 9")
        self.assertNotIn("progress helper", error)
        for helper in helpers:
            wait_gone(helper)

    def test_killed_oshrun_leaves_no_helper(self):
        job, helpers = self.start_busy(2)
        job.kill()
        job.wait()
        for helper in helpers:
            wait_gone(helper)
        for pid, _ in processes.processes_with(self.mark):
            wait_gone(pid)

    def test_no_core_without_force(self):
        npes = len(os.sched_getaffinity(0)) + 1
        _, error = self.run_job("-n", npes, CASES, "sessions", code=1,
                                environment=self.helped("helpers"))
        self.assertIn("helpers need 1 cores that no PE may use", error)
        self.assertIn("SHMEM_PROGRESS='helpers:1!'", error)

    def test_without_a_launcher(self):
        self.run_job("sessions", launcher=[CASES], environment=self.helped())

    def test_without_a_launcher_no_core_without_force(self):
        core = str(min(os.sched_getaffinity(0)))
        _, error = self.run_job("sessions", launcher=["taskset", "-c", core, CASES], code=1,
                                environment=self.helped("helpers"))
        self.assertIn("the PEs and helpers of this host need 2 cores, and the launcher gives them "
                      "1", error)
        self.assertIn("SHMEM_PROGRESS='helpers:1!'", error)

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_mpirun(self):
        environment = {**self.helped(), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        for npes in (2, 3):
            launcher = ["mpirun", "--oversubscribe", "-n", str(npes)]
            self.run_mpirun_job(CASES, "sessions", launcher=launcher, environment=environment)
            self.run_mpirun_job(PROGRAM, launcher=launcher, environment=environment)

    def test_incoherent_memory_is_refused(self):
        public = os.path.join(self.folder, "public")
        for heap in ("noncoherent-emulated", "noncoherent:" + public):
            _, error = self.run_job("-n", 2, CASES, "sessions", code=1,
                                    environment=self.helped(SHMEM_HEAP=heap))
            self.assertIn("helpers do not keep memory coherent by software; take SHMEM_HEAP=shared,"
                          " or SHMEM_PROGRESS=thread", error)
        os.remove(public)

    def test_measured_size(self):
        """From the profile, unless the user sets it; at least 4 KiB."""
        profile = os.path.join(self.folder, "profile")
        for line, setting, expected in (("helper_bytes 8192", "0", 8192),
                                        ("helper_bytes 100", "0", 4096),
                                        ("alpha 1e-7", "0", 131072),
                                        ("helper_bytes 8192", "64K", 65536)):
            with open(profile, "w", encoding="utf-8") as file:
                file.write(line + "\n")
            environment = {**self.helped(SHMEM_PROFILE=profile, SHMEM_INFO="1"),
                           "SHMEM_HELPER_SIZE": setting}
            out, _ = self.run_job("-n", 2, CASES, "sessions", environment=environment)
            self.assertIn(f"put_nbi and get_nbi on the node from {expected} bytes on", out)
        with open(profile, "w", encoding="utf-8") as file:
            file.write("helper_bytes 8192\nfabric tcp;ofi_rxm\noff_node_helper_bytes 32768\n")
        environment = {**self.helped(SHMEM_PROFILE=profile, SHMEM_INFO="1"),
                       "SHMEM_HELPER_SIZE": "0"}
        out, _ = self.run_job("-n", 2, "--virtual-nodes", 2, CASES, "sessions",
                              environment=environment)
        self.assertIn("put_nbi and get_nbi on the node from 8192 bytes on", out)
        self.assertIn("put_nbi and get_nbi to other nodes from 32768 bytes on", out)
        os.remove(profile)

    def test_values(self):
        for value in ("helpers:0", "helpers:65", "helpers:", "helpers:x", "thread!", "none:1"):
            _, error = self.run_job("-n", 1, CASES, "sessions", code=1,
                                    environment=self.helped(value))
            self.assertRegex(error, rf"SHMEM_PROGRESS={re.escape(value)} is not a valid setting")


if __name__ == "__main__":
    main()
