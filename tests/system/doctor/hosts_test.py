# SPDX-License-Identifier: BSD-3-Clause
"""Would break: osh_info --doctor does not name the hosts between which a firewall drops
connections, or finds a problem between hosts that reach each other.

usage: hosts_test.py BIN_FOLDER [UNITTEST_OPTION]...
"""
import os
import subprocess
import sys
import unittest

import lab
from cluster import HANG_SECONDS, Cluster
from findings import DoctorTest, findings_of
from slurm import Slurm

OSH_INFO = os.path.join(os.path.abspath(sys.argv[1]), "osh_info")
PORTS = ("20000", "20010")
SECONDS = 2 * HANG_SECONDS


class World:
    cluster = None
    slurm = None


class HostsTest(DoctorTest):
    def finish(self, job):
        output, error = job.communicate(timeout=SECONDS)
        return job.returncode, output + error

    def doctor(self, hosts, **variables):
        """By mpirun."""
        command = [OSH_INFO, "--doctor", "--hosts", ",".join(hosts)]
        return self.finish(World.cluster.start(
            hosts[0], command, {"OMPI_MCA_plm_rsh_agent": World.cluster.agent, **variables}))

    def block(self, host, other):
        """Connections from a host to the ports of another one are refused."""
        rule = ["to", World.cluster.hosts[other].address, "ipproto", "tcp", "dport",
                "-".join(PORTS), "prohibit"]
        enter = World.cluster.hosts[host].enter()
        subprocess.run([*enter, "ip", "rule", "add", *rule], check=True)
        self.addCleanup(subprocess.run, [*enter, "ip", "rule", "del", *rule], check=True)

    def test_health(self):
        code, output = result = self.doctor(["h1", "h2", "h3"])
        self.expect_health(result)
        self.assertIn("each of 3 hosts reaches every other one", output)
        self.assertIn("a job on 3 hosts runs", output)

    def test_health_in_an_allocation(self):
        code, output = result = self.finish(
            World.slurm.salloc(["h1", "h2", "h3"], 3, [OSH_INFO, "--doctor"]))
        self.expect_health(result)
        self.assertIn("each of 3 hosts reaches every other one", output)

    def test_blocked_port(self):
        self.block("h2", "h3")
        result = self.doctor(["h1", "h2", "h3"], FI_TCP_PORT_LOW_RANGE=PORTS[0],
                             FI_TCP_PORT_HIGH_RANGE=PORTS[1])
        self.expect(result, "connections", "problem",
                    "h2 cannot connect to h3 at 10.99.0.3:20000: ", "in both directions")
        blocked = [one for one in findings_of(result[1]) if "cannot connect" in one.text]
        self.assertEqual(len(blocked), 1, "only this direction of this pair")

    def test_wrong_interface(self):
        result = self.doctor(["h1", "h2"], SHMEM_OFI_INTERFACE="eth7")
        self.expect(result, "fabric", "problem", "no such interface.*eth0 *10.99.0.1",
                    "SHMEM_OFI_INTERFACE")
        self.expect(result, "connections", "problem", "no such interface", "mpirun --host")

    def test_one_host_twice(self):
        result = self.doctor(["h1", "localhost"])
        self.expect(result, "connections", "problem", "", "")


def main():
    missing = lab.needs_mpirun() or lab.needs_slurm()
    if missing:
        lab.give_up(missing)
    lab.enter()
    with Cluster(3) as World.cluster, Slurm(World.cluster) as World.slurm:
        return unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False).result


if __name__ == "__main__":
    sys.exit(0 if main().wasSuccessful() else 1)
