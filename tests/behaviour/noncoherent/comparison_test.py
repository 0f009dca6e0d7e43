# SPDX-License-Identifier: BSD-3-Clause
"""Would break: sync points miss changes where the kernel does not tell what a program has written,
as in containers that forbid userfaultfd.

Usage: comparison_test.py OSHRUN PROGRAM (noncoherent_test.cpp).
"""
import os
import subprocess
import sys

import seccomp

SECONDS = 120


def main():
    oshrun, program = sys.argv[1:]
    result = subprocess.run([oshrun, "-n", "3", program, "--gtest_brief=1"], text=True, check=False,
                            env={**os.environ, "SHMEM_INFO": "1", "SHMEM_SYMMETRIC_SIZE": "16M",
                                 "SHMEM_HEAP": "noncoherent-emulated"},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                            preexec_fn=lambda: seccomp.forbid(seccomp.USERFAULTFD))
    is_right = result.returncode == 0 and "written pages: by comparison" in result.stdout
    if not is_right:
        print(result.stdout, f"ended with {result.returncode}; expected 0 and a comparison")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
