# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on one machine: network, host name, IPC and mount namespaces of their own, connected by a
bridge. REQUIRES: lab.enter() before.

The hosts h1, h2, ... share the same things as hosts of a real cluster: the file system with the
programs, and the folder `shared`. /tmp and /dev/shm are each host's own. Host i has the address
10.99.0.i; all know each other's names. The PID namespace is one, so that a process of any host can
be watched and killed by its id.
"""
import itertools
import os
import signal
import socket
import subprocess
import time

import lab
from processes import wait_gone

NETWORK = "10.99.0"
BRIDGE = "br0"
SHARED = "/tmp/shared"
HANG_SECONDS = 120
UNUSED_PORT = 9
# The environment of a login on another host. Nothing else reaches a host unasked.
LOGIN = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH")
AGENT = """#!/bin/sh
# mpirun calls this in place of ssh: OPTION... HOST WORD...
while :; do case $1 in -x | -q) shift ;; *) break ;; esac; done
host=$1; shift
exec nsenter -t "$(cat {shared}/$host.pid)" -m -n -u -i -- env -i {login} sh -c "$*"
"""


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def processes():
    """{pid: command} of everything in the laboratory, zombies excepted."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] in "ZX":
                    continue
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                found[int(entry)] = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return found


class Host:
    def __init__(self, number):
        self.name = f"h{number}"
        self.address = f"{NETWORK}.{number}"
        self.link = f"v{number}"  # The end at the bridge.
        self.pid = 0  # Of the process that keeps the namespaces.

    def _become(self):
        """In the keeper: makes the namespaces and what is in them."""
        os.setsid()
        lab.unshare(lab.CLONE_NEWNS | lab.CLONE_NEWUTS | lab.CLONE_NEWIPC | lab.CLONE_NEWNET)
        socket.sethostname(self.name)
        lab.empty_folder("/tmp", [*lab.kept_paths(), SHARED])
        lab.mount_tmpfs("/dev/shm")
        lab.bind(os.path.join(SHARED, "hosts"), "/etc/hosts")
        ip("link", "set", "lo", "up")

    def start(self):
        reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._become()
                os.execvp("sleep", ["sleep", "infinity"])
            except BaseException as error:  # Nothing may run on in the copy of the test.
                os.write(writer, str(error).encode())
                os._exit(1)
        os.close(writer)
        with os.fdopen(reader) as file:  # Its end: the keeper has become sleep.
            error = file.read()
        if error:
            raise RuntimeError(f"host {self.name}: {error}")
        ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns",
           str(self.pid))
        ip("link", "set", self.link, "master", BRIDGE, "up")
        for arguments in (("addr", "add", self.address + "/24", "dev", "eth0"),
                          ("link", "set", "eth0", "up")):
            subprocess.run([*self.enter(), "ip", *arguments], check=True)
        with open(os.path.join(SHARED, self.name + ".pid"), "w") as file:
            file.write(str(self.pid))

    def enter(self):
        """The beginning of a command on this host; the working directory stays."""
        return ["nsenter", "-t", str(self.pid), "-m", "-n", "-u", "-i", "--", "env", "-C",
                os.getcwd()]

    def take_link_down(self):
        """As by the cable. Cluster.mend_links() takes it back."""
        ip("link", "set", self.link, "down")

    def wait_reaches(self, other, deadline):
        """Waits until a connection from this host gets an answer of the other one."""
        error = None
        while time.monotonic() < deadline:
            with lab.socket_in_network(self.pid) as probe:
                probe.settimeout(max(0.1, deadline - time.monotonic()))
                try:
                    probe.connect((other.address, UNUSED_PORT))
                    return
                except ConnectionRefusedError:
                    return
                except OSError as failure:  # Not yet: the kernel says so after some seconds.
                    error = failure
        raise RuntimeError(f"{self.name} does not reach {other.name}: {error}")

    def files(self):
        """The contents of the host's own folders."""
        return {f"{self.name}:{folder}/{name}" for folder in ("/tmp", "/dev/shm")
                for name in os.listdir(f"/proc/{self.pid}/root{folder}")}


class Cluster:
    """with Cluster(3) as cluster: cluster.start("h1", ["hostname"])"""

    def __init__(self, count):
        self.hosts = {f"h{number}": Host(number) for number in range(1, count + 1)}
        self.agent = os.path.join(SHARED, "agent")
        self.jobs = []
        self.before = set()
        self.known = set()  # Processes that are no part of a job.

    def __enter__(self):
        self.before = set(processes())
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _build(self):
        os.makedirs(SHARED)
        self._write("hosts", "127.0.0.1 localhost\n" + "".join(
            f"{host.address} {host.name}\n" for host in self.hosts.values()))
        login = " ".join(f"{name}='{value}'" for name, value in self.login().items())
        self._write("agent", AGENT.format(shared=SHARED, login=login))
        os.chmod(self.agent, 0o755)
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("link", "set", BRIDGE, "up")
        for host in self.hosts.values():
            host.start()
        self.wait_connected()
        self.forget_processes()

    def wait_connected(self):
        """Waits until every host reaches every other one. After a link was down, a kernel that was
        looking for the other host's address looks again after a second, and refuses connections
        after three."""
        deadline = time.monotonic() + HANG_SECONDS
        for one, other in itertools.permutations(self.hosts.values(), 2):
            one.wait_reaches(other, deadline)

    def mend_links(self):
        """Brings all links up. Returns when they carry connections."""
        for host in self.hosts.values():
            ip("link", "set", host.link, "up")
        self.wait_connected()

    def _write(self, name, text):
        with open(os.path.join(SHARED, name), "w") as file:
            file.write(text)

    def close(self):
        """Ends every process that came since __enter__, and removes the network and the files."""
        keepers = {host.pid for host in self.hosts.values()}
        # A process may have started another one between the look at all of them and its end.
        while pids := set(processes()) - self.before - keepers:
            self._kill(pids)
        self._kill(keepers - {0})
        for job in self.jobs:  # Only now no process holds the other ends of the pipes.
            job.communicate()
        for host in self.hosts.values():
            if host.pid:
                os.waitpid(host.pid, 0)
                host.pid = 0
            subprocess.run(["ip", "link", "del", host.link], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", BRIDGE], stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", SHARED], check=True)

    @staticmethod
    def _kill(pids):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for pid in pids:
            wait_gone(pid, HANG_SECONDS)

    def login(self):
        environment = {name: os.environ[name] for name in LOGIN if name in os.environ}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return environment

    def agent_variables(self):
        """The environment in which Open MPI 4's mpirun and prterun call the agent."""
        return {"OMPI_MCA_plm_rsh_agent": self.agent, "PRTE_MCA_plm_ssh_agent": self.agent}

    def start(self, host, command, environment=None, **options):
        """A process on a host, with its output in pipes. Ends at the latest with the cluster."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "text": True, **options}
        job = subprocess.Popen([*self.hosts[host].enter(), *map(str, command)],
                               env={**self.login(), **(environment or {})}, **options)
        self.jobs.append(job)
        return job

    def mpirun(self, layout, command, environment=None, options=(), **more):
        """mpirun on the first host of the layout. `layout`: the host of each PE, in order."""
        hosts = os.path.join(SHARED, "hosts.mpirun")
        self._write("hosts.mpirun", "".join(host + "\n" for host in layout))
        forward = [word for name in environment or {} for word in ("-x", name)]
        return self.start(layout[0],
                          ["mpirun", "--mca", "plm_rsh_agent", self.agent, "--bind-to", "none",
                           "--hostfile", hosts, "--map-by", "seq", "-n", len(layout), *forward,
                           *options, *command], environment, **more)

    def forget_processes(self):
        """The processes that run now are no part of a job."""
        self.known = set(processes())

    def strangers(self):
        return {pid: command for pid, command in processes().items() if pid not in self.known}

    def wait_nothing_runs(self, seconds):
        """Waits until all processes of jobs are gone. Returns those that are still there."""
        deadline = time.monotonic() + seconds
        for pid in self.strangers():
            wait_gone(pid, deadline - time.monotonic())
        while self.strangers() and time.monotonic() < deadline:
            for pid in self.strangers():  # Those that others started meanwhile.
                wait_gone(pid, deadline - time.monotonic())
        return self.strangers()

    def files(self):
        return set().union(*(host.files() for host in self.hosts.values()))
