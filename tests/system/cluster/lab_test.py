# SPDX-License-Identifier: BSD-3-Clause
"""Would break: the tests across hosts leave processes, mounts, networks or files on the machine.

    lab_test.py          looks from the outside at a laboratory that is killed
    lab_test.py --hold   the laboratory: says what it has, then waits
"""
import os
import signal
import subprocess
import sys
import unittest
import uuid

import lab
from processes import processes_with, wait_gone

HOLD = "--hold"
MARK = "TESSERA_TEST_MARK"
HANG_SECONDS = 20


def hold():
    lab.enter()
    import cluster  # It is of no use outside.
    with cluster.Cluster(2) as hosts:
        # Another process of the job holds the pipes and outlives its parent.
        job = hosts.start("h2", ["sh", "-c", "hostname; touch /tmp/file; setsid sleep 1000 & "
                                             "exec sleep 1000"])
        print(job.stdout.readline().strip(), flush=True)
        if "--raise" in sys.argv:
            raise RuntimeError("on purpose")
        signal.pause()


def mounts():
    with open("/proc/self/mounts") as file:
        return file.read()


class LabTest(unittest.TestCase):
    def setUp(self):
        self.mark = uuid.uuid4().hex
        self.mounts = mounts()
        self.addCleanup(self.check_nothing_left)

    def start(self, *arguments):
        return subprocess.Popen([sys.executable, __file__, HOLD, *arguments], text=True,
                                env=dict(os.environ, **{MARK: self.mark}),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def check_nothing_left(self):
        left = [pid for pid, _ in processes_with(self.mark) if not wait_gone(pid, HANG_SECONDS)]
        self.assertEqual(left, [], "processes are left")
        self.assertEqual(mounts(), self.mounts)
        self.assertFalse(os.path.exists("/tmp/shared"))
        names = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout
        self.assertNotIn("br0", names)

    def test_ends(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(number.name):
                process = self.start()
                self.assertEqual(process.stdout.readline(), "h2\n")
                # The laboratory, its first process, two hosts and what runs there.
                self.assertGreaterEqual(len(processes_with(self.mark)), 6)
                process.send_signal(number)
                process.wait(HANG_SECONDS)
                process.communicate()
                self.check_nothing_left()

    def test_exception(self):
        process = self.start("--raise")
        _, error = process.communicate(timeout=HANG_SECONDS)
        self.assertEqual(process.returncode, 1)
        self.assertIn("on purpose", error)


if __name__ == "__main__":
    if HOLD in sys.argv:
        hold()
    reason = lab.why_not()
    if reason:
        lab.give_up(reason)
    unittest.main(argv=sys.argv[:1])
