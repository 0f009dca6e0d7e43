# SPDX-License-Identifier: BSD-3-Clause
"""All layouts of batch_stress_test: 2 to 6 PEs on 1 to 3 nodes, with each kind of progress, with
static data that is mapped or copied, and with two threads. Arguments: oshrun, the program."""
import collections
import os
import subprocess
import sys

OSHRUN, PROGRAM = sys.argv[1:3]
ROUNDS, OPERATIONS = 6, 200
SECONDS = 120  # a limit that only a hang reaches


def layouts():
    for npes in range(2, 7):
        for nodes in range(1, min(npes, 3) + 1):
            for progress in ("none", "thread", "helpers!"):
                for statics in ("shared", "cma"):
                    for threads in (1, 2):
                        yield npes, nodes, progress, statics, threads


def run(npes, nodes, progress, statics, threads):
    settings = {"SHMEM_SYMMETRIC_SIZE": "32M", "SHMEM_VIRTUAL_NODES": str(nodes),
                "SHMEM_PROGRESS": progress, "SHMEM_HELPER_SIZE": "4K"}
    if statics == "cma":
        settings["SHMEM_STATIC_DATA"] = "cma"
    command = [OSHRUN, "-n", str(npes), "--timeout", str(SECONDS), PROGRAM, str(ROUNDS),
               str(OPERATIONS), str(threads)]
    job = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    if job.returncode != 0 or b"passed" not in job.stdout:
        print(npes, "PEs", settings, threads, "threads\n", job.stdout.decode()[-3000:], flush=True)
        return False
    return True


def main():
    passed = collections.Counter()
    failed = 0
    for layout in layouts():
        if run(*layout):
            passed[layout[2]] += 1
        else:
            failed += 1
    print("passed:", dict(passed), "failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
