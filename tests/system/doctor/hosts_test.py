# SPDX-License-Identifier: BSD-3-Clause
"""Would break: osh_info --doctor does not name the hosts between which a firewall drops
connections, or whose clock is wrong, or finds a problem between hosts that reach each other.

usage: hosts_test.py BIN_FOLDER WRONG_CLOCK_LIBRARY [UNITTEST_OPTION]...
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
WRONG_CLOCK = os.path.abspath(sys.argv[2])
PORTS = ("20000", "20010")
UNUSED_ADDRESS = "10.99.0.250"
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
            hosts[0], command, {**World.cluster.agent_variables(), **variables}))

    def ip(self, host, thing, *arguments):
        """On a host, until the end of the test."""
        command = [*World.cluster.hosts[host].enter(), "ip", thing]
        subprocess.run([*command, "add", *arguments], check=True)
        self.addCleanup(subprocess.run, [*command, "del", *arguments], check=True)

    def rule(self, host, other, *action):
        """For connections from a host to the ports of another one. 6: TCP, which ip knows by name
        only where there is /etc/protocols."""
        self.ip(host, "rule", "to", World.cluster.hosts[other].address, "ipproto", "6",
                "dport", "-".join(PORTS), *action)

    def drop(self, host, other):
        """Connections from a host to the ports of another one get no answer: a card that does
        not exist gets their packets."""
        self.ip(host, "neigh", UNUSED_ADDRESS, "lladdr", "02:00:00:00:00:99", "dev", "eth0")
        self.ip(host, "route", World.cluster.hosts[other].address, "via", UNUSED_ADDRESS,
                "dev", "eth0", "table", "99")
        self.rule(host, other, "lookup", "99")

    def expect_blocked(self, host, other, reason):
        result = self.doctor(["h1", "h2", "h3"], FI_TCP_PORT_LOW_RANGE=PORTS[0],
                             FI_TCP_PORT_HIGH_RANGE=PORTS[1])
        address = World.cluster.hosts[other].address
        self.expect(result, "connections", "problem",
                    f"{host} cannot connect to {other} at {address}:20000: {reason}",
                    "in both directions")
        blocked = [one for one in findings_of(result[1]) if "cannot connect" in one.text]
        self.assertEqual(len(blocked), 1, "only this direction of this pair")

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
        self.rule("h2", "h3", "prohibit")
        self.expect_blocked("h2", "h3", "")

    def test_firewall_that_drops_packets(self):
        self.drop("h3", "h1")
        self.expect_blocked("h3", "h1", "Connection timed out")

    def test_wrong_clock(self):
        command = ["env", f"LD_PRELOAD={os.path.basename(WRONG_CLOCK)}",
                   f"LD_LIBRARY_PATH={os.path.dirname(WRONG_CLOCK)}", OSH_INFO, "--doctor"]
        result = self.finish(World.slurm.salloc(["h1", "h2", "h3"], 3, command))
        self.expect(result, "connections", "note",
                    r"the clock of h2 is (29|30)\.[0-9] s ahead", "chronyd")
        self.assertNotIn("the clock of h3", result[1])

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
        return unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result


if __name__ == "__main__":
    sys.exit(0 if main().wasSuccessful() else 1)
