# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm on the hosts of a cluster: slurmctld on the first, one slurmd on each.

The daemons stay in the foreground, as children of the test, with their configuration, state and
logs in a folder that the hosts share; files of a single node are in its own /tmp. The network
is the cluster's alone, so there is no authentication.
"""
import os
import subprocess
import time

from cluster import HANG_SECONDS, SHARED
from slurm_configuration import write_configuration

FOLDER = os.path.join(SHARED, "slurm")
CPUS = 8


class Slurm:
    """with Slurm(cluster) as slurm: slurm.srun(["h1", "h2"], ["hostname"])"""

    def __init__(self, cluster):
        self.cluster = cluster
        self.daemons = []
        self.environment = {"SLURM_CONF": os.path.join(FOLDER, "slurm.conf")}

    def __enter__(self):
        hosts = self.cluster.hosts.values()
        first = next(iter(hosts))
        for name in ("state", *(f"spool.{host.name}" for host in hosts)):
            os.makedirs(os.path.join(FOLDER, name))
        # A node that does not answer is given up after SlurmdTimeout.
        write_configuration(
            FOLDER, f"{first.name}({first.address})", "MessageTimeout=5", "SlurmdTimeout=10",
            "TmpFS=/tmp", *(f"NodeName={host.name} NodeAddr={host.address} CPUs={CPUS}"
                            for host in hosts))
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def _start(self):
        first, *_ = self.cluster.hosts
        self._start_daemon(first, ["slurmctld", "-c", "-D"])
        for name in self.cluster.hosts:
            self._start_daemon(name, ["slurmd", "-D", "-N", name])
        self.wait_idle()
        self.cluster.forget_processes()

    def wait_idle(self):
        """Until every node takes a job: slurmctld takes time to start, and to see that a node is
        back whose link was down."""
        deadline = time.monotonic() + HANG_SECONDS
        while self.states() != ["idle"] * len(self.cluster.hosts):
            dead = [daemon.args for daemon in self.daemons if daemon.poll() is not None]
            if dead or time.monotonic() > deadline:
                raise RuntimeError(f"not all nodes of Slurm are idle; ended: {dead}\n{self.logs()}")
            time.sleep(0.05)  # sinfo has no way to wait.

    def _start_daemon(self, host, command):
        path = os.path.join(FOLDER, f"{command[0]}.{host}.log")
        with open(path, "w") as log:
            self.daemons.append(self.cluster.start(host, command, self.environment, stdout=log,
                                                   stderr=log))

    def states(self):
        first, *_ = self.cluster.hosts
        sinfo = self.cluster.start(first, ["sinfo", "-h", "-N", "-o", "%t"], self.environment)
        return sinfo.communicate()[0].split()

    def logs(self):
        text = ""
        for name in sorted(os.listdir(FOLDER)):
            if name.endswith(".log"):
                with open(os.path.join(FOLDER, name)) as file:
                    text += f"---- {name}\n{file.read()}"
        return text

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def srun(self, layout, command, environment=None, options=(), **more):
        """srun on the first host of the layout. `layout`: the host of each PE, in order; from
        Slurm 24.11 on, no -N may come with it."""
        return self.cluster.start(
            layout[0], ["srun", "--immediate=30", "--mpi=pmix", "-m", "arbitrary", "-w",
                        ",".join(layout), "-n", len(layout), *options, *command],
            {**self.environment, **(environment or {})}, **more)

    def salloc(self, hosts, npes, command, environment=None, **more):
        """A command inside an allocation of these hosts."""
        return self.cluster.start(
            hosts[0], ["salloc", "--immediate=30", f"-N{len(hosts)}", "-w", ",".join(hosts),
                       "-n", npes, *command], {**self.environment, **(environment or {})}, **more)
