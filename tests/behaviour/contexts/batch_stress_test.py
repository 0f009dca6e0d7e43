# SPDX-License-Identifier: BSD-3-Clause
"""Layouts of batch_stress_test: 2 to 6 PEs on 1 to 3 nodes, with each kind of progress, with
static data that is mapped or copied, and with two threads; 36 of the 168, drawn anew each time.

    batch_stress_test.py OSHRUN PROGRAM [--layouts 168] [--seed N]
"""
import argparse
import collections
import os
import random
import subprocess
import sys

ROUNDS, OPERATIONS = 6, 200
SECONDS = 120  # a limit that only a hang reaches


def layouts():
    for npes in range(2, 7):
        for nodes in range(1, min(npes, 3) + 1):
            for progress in ("none", "thread", "helpers!"):
                for statics in ("shared", "cma"):
                    for threads in (1, 2):
                        yield npes, nodes, progress, statics, threads


def run(arguments, npes, nodes, progress, statics, threads):
    settings = {"SHMEM_SYMMETRIC_SIZE": "32M", "SHMEM_VIRTUAL_NODES": str(nodes),
                "SHMEM_PROGRESS": progress, "SHMEM_HELPER_SIZE": "4K"}
    if statics == "cma":
        settings["SHMEM_STATIC_DATA"] = "cma"
    command = [arguments.oshrun, "-n", str(npes), "--timeout", str(SECONDS), arguments.program,
               str(ROUNDS), str(OPERATIONS), str(threads)]
    job = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    if job.returncode != 0 or b"passed" not in job.stdout:
        print(npes, "PEs", settings, threads, "threads\n", job.stdout.decode()[-3000:], flush=True)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description="Layouts of batch_stress_test.")
    parser.add_argument("oshrun")
    parser.add_argument("program")
    parser.add_argument("--layouts", type=int, default=36)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    passed = collections.Counter()
    failed = 0
    for layout in random.Random(arguments.seed).sample(list(layouts()), arguments.layouts):
        if run(arguments, *layout):
            passed[layout[2]] += 1
        else:
            failed += 1
    print("passed:", dict(passed), "failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
