#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when shmem_global_exit does not end all PEs with its status, or loses output."""
import argparse
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oshrun", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    failed = 0
    for npes in (1, 2, 3, 5, 8):
        for name, caller, status in (("shmem_global_exit", 0, 0),
                                     ("pshmem_global_exit", npes - 1, 3),
                                     ("shmem_global_exit", npes // 2, 41),
                                     ("pshmem_global_exit", 0, 0)):
            command = [options.oshrun, "-n", str(npes), "--timeout", "60", options.program,
                       str(caller), name, str(status)]
            result = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=120)
            said = f"PE {caller} leaves without a newline"
            if result.returncode != status or said not in result.stdout.decode():
                print(f"{' '.join(command)}: status {result.returncode}, {result.stdout}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
