#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job of random operations that reads a wrong value or hangs when its PEs are
stopped and continued at random moments, or get signals while their clock jumps, with any algorithm,
progress, memory or fabric.

    export PYTHONPATH=tests/support
    stops.py OSHRUN OSH_INFO PROGRAM... [--night LIBRARY] [--jobs 2000] [--pes 64] [--seed N]
             [--seconds 600]

Each job runs one of the programs (random_test of tests/behaviour/random and its like) with a random
number of PEs, on one node or on virtual nodes, and with settings that a random choice takes from
the tables below. One PE at a time is stopped for up to 50 ms. With night.c as LIBRARY, PEs of half
of the jobs get signals, too, which interrupt system calls and move the clock of the day. The script
prints each job that went wrong with the command that repeats it (not the moments of the stops), and
at the end the counts.
"""
import argparse
import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from processes import children_of, runs

HANG_SECONDS = 600
STOP_SECONDS_MAX = 0.05
COLLECTIVES = ("barrier", "broadcast", "collect", "fcollect", "alltoall", "scan", "reduce")
PROVIDERS = ({"SHMEM_OFI_PROVIDER": "tcp;ofi_rxm"},) * 4 + (
    {"SHMEM_OFI_PROVIDER": "net"}, {"SHMEM_OFI_PROVIDER": "shm"}, {"SHMEM_FABRIC": "loopback"})
PROGRESS_ON_NODE = ({}, {}, {"SHMEM_PROGRESS": "helpers!", "SHMEM_HELPER_SIZE": "4K"})
PROGRESS_OF_NODES = PROGRESS_ON_NODE + ({"SHMEM_PROGRESS": "none"},)
MEMORY = ({},) * 5 + ({"SHMEM_STATIC_DATA": "cma"}, {"SHMEM_HEAP": "noncoherent"})


def algorithms_of(osh_info, collective, npes, nodes):
    command = [osh_info, "--algorithms", collective, "--npes", str(npes), "--nodes", str(nodes)]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.split()


def algorithm_settings(osh_info, npes, nodes, chance):
    """For half of the collectives an algorithm that suits the job. The model chooses the rest."""
    settings = {}
    for collective in COLLECTIVES:
        if chance.random() < 0.5:
            names = algorithms_of(osh_info, collective, npes, nodes)
            settings[f"SHMEM_{collective.upper()}_ALGORITHM"] = chance.choice(names)
    return settings


def pick_pes(chance, pes_max):
    """Few PEs in most jobs, because these go through more operations in the same time."""
    few = chance.random() < 0.8
    return chance.randint(2, min(8, pes_max)) if few else chance.randint(2, pes_max)


def pick_job(arguments, program, folder, chance):
    """(options of oshrun, arguments of the program, settings)"""
    npes = pick_pes(chance, arguments.pes)
    nodes = chance.randint(2, min(npes, 4)) if chance.random() < 0.4 else 1
    settings = {"SHMEM_SYMMETRIC_SIZE": "64M", "SHMEM_TEAM_MEMORY_SIZE": "16M",
                "SHMEM_LOCAL_MEMORY_SIZE": "16M"}
    if nodes > 1:
        settings |= {"SHMEM_VIRTUAL_NODES": str(nodes), **chance.choice(PROVIDERS),
                     **chance.choice(PROGRESS_OF_NODES)}
    else:
        settings |= chance.choice(PROGRESS_ON_NODE)
    # Coarrays and units on other memory: tests/behaviour/matrix.
    if os.path.basename(program) == "random_test":
        settings |= chance.choice(MEMORY)
    settings |= algorithm_settings(arguments.osh_info, npes, nodes, chance)
    if "SHMEM_HEAP" in settings:
        settings["SHMEM_HEAP"] += f":{folder}/public_copies" if nodes > 1 else "-emulated"
        settings["SHMEM_NONCOHERENT_SEED"] = str(chance.randint(0, 1000))
        if settings.get("SHMEM_PROGRESS") == "helpers!":  # They copy in shared memory only.
            del settings["SHMEM_PROGRESS"]
    if arguments.night and chance.random() < 0.5:
        settings["LD_PRELOAD"] = arguments.night
    sequences = max(1, 60 // npes // nodes)
    return (["-n", str(npes), "--timeout", str(HANG_SECONDS)],
            ["--seed", str(chance.randrange(1 << 32)), "--sequences", str(sequences)], settings)


def disturb(oshrun, program, is_night, chance):
    """Stops PEs, one at a time, until the job has ended, and sends them signals. Returns how many
    were stopped."""
    stops = 0
    while True:
        try:
            oshrun.wait(chance.uniform(0, 4 * STOP_SECONDS_MAX))
            return stops
        except subprocess.TimeoutExpired:
            pass
        pes = [pid for pid in children_of(oshrun.pid) if runs(pid, program)]
        if not pes:
            continue
        pid = chance.choice(pes)
        try:
            if is_night and listens(pid):
                os.kill(pid, signal.SIGUSR2)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(chance.uniform(0, STOP_SECONDS_MAX))
            os.kill(pid, signal.SIGCONT)
            stops += 1
        except (ProcessLookupError, FileNotFoundError):
            pass


def listens(pid):
    """Whether the process has the handler of night.c already."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        caught = re.search(r"^SigCgt:\s*(\w+)$", file.read(), re.MULTILINE)
    return int(caught[1], 16) >> (signal.SIGUSR2 - 1) & 1


def run_job(arguments, folder, chance):
    """Returns (kind of the job, stops, complaint or None)."""
    program = chance.choice(arguments.programs)
    options, program_arguments, settings = pick_job(arguments, program, folder, chance)
    command = [arguments.oshrun, *options, program, *program_arguments]
    job = subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                           errors="replace")
    stops = disturb(job, program, "LD_PRELOAD" in settings, chance)
    output = job.communicate()[0]
    nodes = int(settings.get("SHMEM_VIRTUAL_NODES", "1"))
    kind = "several nodes" if nodes > 1 else "one node"
    if job.returncode == 0 and re.search(r"^\w+: all as expected$", output, re.MULTILINE):
        return kind, stops, None
    words = [f"{name}='{value}'" for name, value in settings.items()]
    return kind, stops, f"{' '.join(words + command)}: status {job.returncode}\n{output[-3000:]}"


def run_jobs(arguments, folder):
    chance = random.Random(arguments.seed)
    counts = collections.Counter()
    start = time.monotonic()
    for number in range(arguments.jobs):
        if arguments.seconds and time.monotonic() - start > arguments.seconds:
            break
        kind, stops, complaint = run_job(arguments, folder,
                                        random.Random(chance.randrange(1 << 32)))
        counts.update({"jobs": 1, kind: 1, "stops": stops, "wrong": complaint is not None})
        if complaint:
            print(f"job {number}: {complaint}", flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description="Random jobs whose PEs are stopped and continued.")
    parser.add_argument("oshrun", type=os.path.abspath)
    parser.add_argument("osh_info", type=os.path.abspath)
    parser.add_argument("programs", type=os.path.abspath, nargs="+")
    parser.add_argument("--night", type=os.path.abspath, help="the library of night.c")
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--pes", type=int, default=64, help="the most PEs of a job, up to 64")
    parser.add_argument("--seconds", type=float, help="start no job after so many seconds")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="stops-") as folder:
        counts = run_jobs(arguments, folder)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
