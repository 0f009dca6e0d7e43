#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job across hosts does not end by itself, within the limit, with a message, or
leaves a process or a file on a host, after a PE or the launcher was killed or a host's link was
taken down at a random moment.

    faults.py BIN_FOLDER LAUNCH_FOLDER [--runs 100] [--seed N] [--limit 10] [--only FAULT]
              [--launchers mpirun,srun,oshrun]

A lost link is noticed by the PEs after SHMEM_NETWORK_TIMEOUT, which is 5 seconds here; the limit
counts from there. It counts for the PEs. The launchers' own daemons may need the link to end; it
comes back when all PEs are gone. srun runs with --kill-on-bad-exit, without which it lets a job
wait for a PE that has died before it had met the others. A slurmstepd, orted or mpirun
whose PE dies while it connects may lock itself up in PMIx_server_finalize (PMIx 4.2.2); it is
counted and killed.
"""
import argparse
import collections
import glob
import os
import random
import re
import signal
import sys
import time

import lab
from case import bin_program, oshrun
from cluster import HANG_SECONDS, SHARED, Cluster, processes
from processes import wait_gone
from slurm import Slurm

HOSTS = 3
NETWORK_TIMEOUT = 5
DAEMON_SECONDS = 20
MOMENT_SECONDS_MAX = 1.5
FAULTS = ("pe", "pe", "launcher", "link")
PROBE = "cluster_probe"
# The words of mpirun, with which oshrun starts PEs on other hosts: it may notice a lost link first.
LAUNCHER_LOST_HOST = "ORTE (has lost communication|was unable to reliably start)"
# Each PE's stderr goes to a file that outlives its launcher.
KEEP_STDERR = f'exec "$0" "$@" 2>>{SHARED}/said.$PMIX_RANK'


class Failure(Exception):
    pass


def pes():
    """The pids of all PEs, on all hosts."""
    return [pid for pid, command in processes().items()
            if command.startswith(bin_program(PROBE) + " ")]


def said():
    text = ""
    for path in sorted(glob.glob(f"{SHARED}/said.*")):
        with open(path) as file:
            text += file.read()
    return text


def is_locked_up(pid, command):
    """Whether it is a launcher's daemon that waits for a mutex."""
    if not re.match(r"slurmstepd:|(\S*/)?(orted|mpirun) ", command):
        return False
    try:
        with open(f"/proc/{pid}/wchan") as file:
            return file.read().startswith("futex")
    except OSError:  # It has ended meanwhile.
        return False


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:  # It has ended meanwhile.
        pass


class Run:
    """One job and one fault."""

    def __init__(self, world, chance, arguments):
        self.cluster, self.slurm = world
        self.chance = chance
        self.limit = arguments.limit
        self.launcher = chance.choice(arguments.launchers)
        self.fault = arguments.only or chance.choice(FAULTS)
        hosts = chance.sample(sorted(self.cluster.hosts), chance.choice((2, 3)))
        npes = chance.choice((len(hosts), 4, 5))
        # Every host has a PE; mpirun and srun run on the first one's.
        self.layout = hosts + [chance.choice(hosts) for _ in range(npes - len(hosts))]
        self.moment = chance.uniform(0, MOMENT_SECONDS_MAX)
        self.job = None
        self.struck_at = 0.0
        self.stuck_daemons = 0

    def __str__(self):
        return f"{self.fault} of {self.launcher} on {' '.join(self.layout)}, {self.moment:.3f} s"

    def start(self):
        for path in glob.glob(f"{SHARED}/said.*"):
            os.remove(path)
        command = ["sh", "-c", KEEP_STDERR, bin_program(PROBE), "busy"]
        environment = {"SHMEM_NETWORK_TIMEOUT": str(NETWORK_TIMEOUT)}
        if self.launcher == "srun":
            self.slurm.wait_idle()
            self.job = self.slurm.srun(self.layout, command, environment, ["-K"])
        elif self.launcher == "mpirun":
            self.job = self.cluster.mpirun(self.layout, command, environment)
        else:
            self.job = oshrun(self.cluster, self.layout, command, environment)

    def wait_for_all_pes(self):
        """Until all are in the middle of their work."""
        for _ in self.layout:
            if not self.job.stdout.readline():
                raise Failure("the job ended before anything happened to it")

    def wait_for_a_pe(self):
        deadline = time.monotonic() + HANG_SECONDS
        while not pes():
            if self.job.poll() is not None or time.monotonic() > deadline:
                raise Failure("the job has no PEs")

    def strike(self):
        if self.fault == "link":
            self.wait_for_all_pes()
        time.sleep(self.moment)
        if self.fault == "pe":
            self.wait_for_a_pe()
        self.struck_at = time.monotonic()
        if self.fault == "pe":
            os.kill(self.chance.choice(pes()), signal.SIGKILL)
        elif self.fault == "launcher":
            self.job.kill()
        else:
            self.cluster.hosts[self.chance.choice(self.layout)].take_link_down()

    def wait_end(self):
        """Returns the seconds from the fault to the end of all PEs, on all hosts."""
        limit = self.limit + (NETWORK_TIMEOUT if self.fault == "link" else 0)
        deadline = self.struck_at + limit
        while left := pes():
            if time.monotonic() > deadline:
                raise Failure(f"after {limit} s there are still the PEs {left}")
            for pid in left:
                wait_gone(pid, deadline - time.monotonic())
        seconds = time.monotonic() - self.struck_at
        self.cluster.mend_links()
        left = self.cluster.wait_nothing_runs(DAEMON_SECONDS)
        for pid, command in left.items():
            if is_locked_up(pid, command):
                kill(pid)
                self.stuck_daemons += 1
        if self.stuck_daemons > 0:
            left = self.cluster.wait_nothing_runs(DAEMON_SECONDS)
        if left:
            raise Failure(f"processes are left: {left}")
        return seconds

    def check_message(self, out, error):
        if self.fault == "launcher":
            # slurmstepd and orted kill their PEs, and no other process can report it. Those beside
            # mpirun itself, as PE 0, end by themselves once they have met it.
            if self.launcher == "srun" or not re.search(r"(?m)^pe 0 ", out):
                return
        expected = {"pe": r"\S", "launcher": r"\[pe \d+\] the launcher is gone",
                    "link": r"(?m)^\[pe \d+\] .*\b(?:pe|PE) \d+|" + LAUNCHER_LOST_HOST}[self.fault]
        text = said() + (error if self.fault != "launcher" else "")
        if not re.search(expected, text):
            raise Failure("no message says what has happened")

    def run(self):
        files = self.cluster.files()
        error = ""
        try:
            self.start()
            self.strike()
            seconds = self.wait_end()
            out, error = self.job.communicate(timeout=HANG_SECONDS)
            if self.job.returncode == 0:
                raise Failure("the launcher reports success")
            self.check_message(out, error)
            left = {path for path in self.cluster.files() - files
                    if not re.search("/tmp/(ompi|spmix_appdir)", path)}
            if left:
                raise Failure(f"files are left: {left}")
            return seconds
        except Failure as failure:
            if self.job.poll() is not None and not error:
                _, error = self.job.communicate(timeout=HANG_SECONDS)
            print(f"{self}: {failure}\n---- launcher:\n{error}\n---- PEs:\n{said()}")
            raise


def parse():
    parser = argparse.ArgumentParser(description="Faults across hosts; see the first lines.")
    parser.add_argument("bin_folder")
    parser.add_argument("launch_folder")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds a job may take to end")
    parser.add_argument("--only", choices=sorted(set(FAULTS)))
    parser.add_argument("--launchers", type=lambda text: text.split(","),
                        default=["mpirun", "srun", "oshrun"])
    return parser.parse_args()


def main():
    arguments = parse()
    missing = lab.needs_mpirun() or lab.needs_slurm()
    if missing:
        lab.give_up(missing)
    lab.enter()
    seed = random.SystemRandom().randrange(1 << 32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    seconds = collections.defaultdict(list)
    stuck = 0
    with Cluster(HOSTS) as cluster, Slurm(cluster) as slurm:
        for number in range(arguments.runs):
            run = Run((cluster, slurm), chance, arguments)
            try:
                seconds[f"{run.fault} {run.launcher}"].append(run.run())
                stuck += run.stuck_daemons
            except Failure:
                print(f"FAILED in run {number + 1}; again with --seed {seed}")
                return 1
    for name, values in sorted(seconds.items()):
        print(f"{name}: {len(values)} jobs, PEs gone after at most {max(values):.2f} s")
    print(f"{arguments.runs} jobs ended as they should; {stuck} launchers' daemons were locked up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
