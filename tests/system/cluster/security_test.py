# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a stranger to the job ends PEs, or changes or reads their memory,
by connecting to the ports on which they listen. docs/run/security.md says what is promised.

A job runs on two hosts, and strangers come from a third one: stray_tcp.py sends noise, and stray
speaks the provider's protocol but has to guess the keys of messages and memory. For that it must be
heard: the job lets every process connect then.
"""
import os
import random
import re
import subprocess
import sys

import lab
from case import EVEN, ClusterTest, bin_program, main
from cluster import HANG_SECONDS, SHARED
from processes import listening_ports

RELEASE = os.path.join(SHARED, "release")
STRANGER = "h3"
SEED = int(os.environ.get("TESSERA_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
FORWARDED = ("SHMEM_OFI_PROVIDER",)


class SecurityJob(ClusterTest):
    settings = {}

    def setUp(self):
        super().setUp()
        self.addCleanup(lambda: os.path.exists(RELEASE) and os.remove(RELEASE))
        self.environment = {name: os.environ[name] for name in FORWARDED if name in os.environ}
        self.job = self.cluster.mpirun(EVEN, [bin_program("cluster_probe"), "hold", RELEASE],
                                       {**self.environment, **self.settings})
        self.pes = [self.read_pe() for _ in EVEN]

    def read_pe(self):
        """(pe, pid, address in the heap, address in static data)"""
        line = self.job.stdout.readline()
        match = re.match(r"pe (\d+) pid (\d+) heap (\w+) static (\w+)", line)
        if match is None:
            self.fail(f"the job said {line!r}: {self.finish(self.job, None)}")
        return int(match[1]), int(match[2]), match[3], match[4]

    def release_and_check(self):
        """Every PE must have lived through it, with its memory as it was."""
        with open(RELEASE, "w"):
            pass
        out, error = self.finish(self.job)
        self.assertEqual(sorted(out.splitlines()), [f"pe {pe} intact" for pe in range(len(EVEN))],
                         f"seed {SEED}\n{error}")


class AdmissionTest(SecurityJob):
    def test_listening_addresses(self):
        for pe, pid, _, _ in self.pes:
            ports = listening_ports(pid)
            self.assertNotEqual(ports, [], f"pe {pe} does not listen; is this test up to date?")
            for address, _ in ports:
                self.assertEqual(address, self.cluster.hosts[EVEN[pe]].address,
                                 f"pe {pe} listens on more than the address of its choice")
        self.release_and_check()

    def test_noise(self):
        places = [f"{address}:{port}" for _, pid, _, _ in self.pes
                  for address, port in listening_ports(pid)]
        stray = self.cluster.start(STRANGER, [sys.executable, os.path.join(
            os.path.dirname(os.path.abspath(__file__)), "stray_tcp.py"), SEED, *places],
            stdin=subprocess.PIPE)
        self.assertEqual(stray.stdout.readline(), "done\n",
                         f"seed {SEED}: {stray.poll()} {self.job.poll()}")
        # The stranger's half open connections stay meanwhile.
        self.release_and_check()
        stray.communicate(timeout=HANG_SECONDS)


class KeysTest(SecurityJob):
    settings = {"SHMEM_OFI_ADMISSION": "0"}

    def test_guessed_keys(self):
        strays = []
        for pe, pid, heap, static in (self.pes[0], self.pes[-1]):
            for address, port in listening_ports(pid):
                strays.append(self.cluster.start(
                    STRANGER, [bin_program("stray"), address, port, heap, static, SEED + pe],
                    self.environment))
        for stray in strays:
            out, error = stray.communicate(timeout=HANG_SECONDS)
            self.assertEqual(stray.returncode, 0, f"seed {SEED}\n{out}\n{error}")
            self.assertRegex(out, r"^\d{3,} attempts, \d{2,} refused, \d{2,} messages sent, "
                                  "0 bytes read$")
        self.release_and_check()


if __name__ == "__main__":
    sys.exit(main(missing=lab.needs_mpirun()))
