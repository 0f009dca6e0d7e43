#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job that runs out of memory, address space, descriptors, stack, file size, locked
memory or space in a file system crashes, hangs, ends without a message, or leaves something.

    export PYTHONPATH=tests/support
    exhausted.py OSHRUN PROGRAM... [--runs 200] [--seed N] [--file-system FOLDER]

Each job runs one of the programs under one limit of a random size. It must end right, or with a
message and a nonzero code. FOLDER lies in a small file system, and holds the memory of some jobs.
"""
import argparse
import collections
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import uuid

from processes import processes_with

HANG_SECONDS = 120
PES = (1, 2, 3, 5, 8)
# The limit of prlimit(1), its least and its largest value. The size's logarithm is drawn.
LIMITS = {"as": (32 << 20, 4 << 30), "data": (1 << 20, 1 << 30), "nofile": (8, 256),
          "stack": (64 << 10, 8 << 20), "fsize": (1 << 16, 1 << 30),
          "memlock": (1 << 12, 1 << 23)}
# Words of which a message must have one, where a job that lacks memory does not end right.
CULPRITS = {"as": "memory|ulimit", "data": "memory|ulimit -d", "nofile": "open files|ulimit -n",
            "stack": "stack", "fsize": "file size|ulimit -f", "memlock": "memory|ulimit -l",
            "file": "room|full|file system|SHMEM_SYMMETRIC_SIZE"}
# Signals of a program that died instead of being told what it lacks. The kernel's own end of a
# process that finds no memory (SIGKILL) is none of ours.
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


def draw_size(bounds, chance):
    least, largest = bounds
    return int(least * (largest / least) ** chance.random())


def complaint_about(limit, code, output, error, mark):
    left = [pid for pid, _ in processes_with(mark)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    if left:
        return f"processes are left: {left}"
    if code == 0:
        return None if "all as expected" in output else "the job ended with 0 and no result"
    if code - 128 in CRASHES:
        return f"crashed: {signal.Signals(code - 128).name}"
    if not re.search(CULPRITS[limit], error):
        return f"the job ended with {code}, and no message names the culprit"
    return None


def run_once(arguments, chance):
    """Returns (how the job ended, complaint or None)."""
    program = chance.choice(arguments.programs)
    mark = "TESSERA_TEST_MARK=" + uuid.uuid4().hex
    options = ["-n", str(chance.choice(PES)), "--timeout", str(HANG_SECONDS)]
    environment = {"TESSERA_TEST_MARK": mark.split("=")[1]}
    if chance.random() < 0.4:
        environment["SHMEM_VIRTUAL_NODES"] = str(chance.randint(2, 3))
    limit = chance.choice([*LIMITS, *(["file"] if arguments.file_system else [])])
    limited = []
    if limit == "file":
        size = draw_size((1 << 20, 1 << 30), chance)
        environment |= {"SHMEM_HEAP": f"noncoherent:{arguments.file_system}/memory",
                        "SHMEM_SYMMETRIC_SIZE": str(size)}
    else:
        size = draw_size(LIMITS[limit], chance)
        limited = ["prlimit", f"--{limit}={size}"]
    command = [*limited, arguments.oshrun, *options, program, "--sequences", "3",
               "--seed", str(chance.randrange(1 << 32))]
    with tempfile.TemporaryDirectory(prefix="exhausted-") as folder:
        job = subprocess.run(command, env={**os.environ, **environment, "TMPDIR": folder},
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, errors="replace",
                             timeout=2 * HANG_SECONDS, check=False)
        complaint = complaint_about(limit, job.returncode, job.stdout, job.stderr, mark)
        if not complaint and os.listdir(folder):
            complaint = f"files are left: {os.listdir(folder)}"
    if arguments.file_system:
        for name in os.listdir(arguments.file_system):
            os.remove(os.path.join(arguments.file_system, name))
    if complaint:
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        complaint = (f"{complaint}: limit {limit} of {size}: {settings} {' '.join(command)}\n"
                     f"{job.stderr[-3000:]}")
    return "ended right" if job.returncode == 0 else f"refused by {limit}", complaint


def main():
    parser = argparse.ArgumentParser(description="Jobs under limits; see the first lines.")
    parser.add_argument("oshrun", type=os.path.abspath)
    parser.add_argument("programs", type=os.path.abspath, nargs="+")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--file-system", help="a folder in a small file system, to be emptied")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)
    counts = collections.Counter()
    for run in range(arguments.runs):
        how, complaint = run_once(arguments, random.Random(chance.randrange(1 << 32)))
        counts.update({how: 1, "wrong": complaint is not None})
        if complaint:
            print(f"run {run + 1}: {complaint}", flush=True)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
