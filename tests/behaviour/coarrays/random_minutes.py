#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the random programs of coarrays and PRIF of a build for some minutes, with other seeds each.

    random_minutes.py build/release [--minutes 30] [--seed 1] [--layouts 2 5 3x3]

A layout is a number of images, or images x virtual nodes. Prints each run that went wrong, with the
command that repeats it, and at the end the numbers of runs and cases.
"""
import argparse
import os
import re
import subprocess
import sys
import time

SECONDS = 300
ROUNDS = 300
# Program in tests/behaviour, variable of its seed, cases in a run.
PROGRAMS = (("coarrays/access_random/access_random", "ACCESS_SEED", 5000),
            ("coarrays/control_random/control_random", "CONTROL_SEED", ROUNDS),
            ("prif/prif_random", "CONTROL_SEED", ROUNDS))


def run(build, program, variable, seed, layout):
    """Returns the complaint about one run, or None."""
    images, _, nodes = layout.partition("x")
    added = {variable: str(seed), "CONTROL_ROUNDS": str(ROUNDS), "SHMEM_SYMMETRIC_SIZE": "64M",
             "SHMEM_TEAM_MEMORY_SIZE": "64M"}
    if nodes:
        added |= {"SHMEM_VIRTUAL_NODES": nodes, "SHMEM_OFI_PROVIDER": "tcp;ofi_rxm"}
    command = [f"{build}/bin/oshrun", "-n", images, "--timeout", str(SECONDS),
               f"{build}/tests/behaviour/{program}"]
    done = subprocess.run(command, env={**os.environ, **added}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", check=False)
    if done.returncode == 0 and re.search("^passed$", done.stdout, re.MULTILINE):
        return None
    words = [f"{name}='{value}'" for name, value in added.items()]
    return f"{' '.join(words + command)}: status {done.returncode}\n{done.stdout[-2000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1000000)
    parser.add_argument("--layouts", nargs="+", default="1 2 3 4 5 8 3x3 5x2 8x2".split())
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    seed = arguments.seed
    failures = 0
    programs = [each for each in PROGRAMS  # Builds with sanitizers have no PRIF.
                if os.path.exists(f"{arguments.build}/tests/behaviour/{each[0]}")]
    runs = {name: 0 for name, _, _ in programs}
    cases = dict(runs)
    while time.monotonic() < end:
        for layout in arguments.layouts:
            for name, variable, size in programs:
                complaint = run(arguments.build, name, variable, seed, layout)
                runs[name] += 1
                cases[name] += size
                if complaint:
                    failures += 1
                    print(complaint, flush=True)
        seed += 1
    for name, count in runs.items():
        print(f"{name}: {count} runs, {cases[name]} cases")
    print(f"seeds {arguments.seed} to {seed - 1}, {failures} runs went wrong")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
