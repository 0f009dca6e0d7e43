#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when the module shmem lets mistakes pass: arrays of two types in one call must not
compile, and a section as the remote side, or a PE that is not there, must end the job with a
message.

usage: mistakes_test.py OSHFORT OSHRUN WORK_FOLDER
"""

import os
import subprocess
import sys

PROGRAM = """
program mistake
  use shmem
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int32_t), save, target :: words(10)
  real(c_float), save, target :: numbers(10)
  integer(c_int64_t), save, target :: signal
  call shmem_init()
  {}
  numbers = signal
  call shmem_finalize()
end program mistake
"""
# statement, what the compiler or the job says, None: it compiles and runs
CASES = (
    ("call shmem_put(words, words, 10, 0)", None, None),
    ("call shmem_put(words, numbers, 10, 0)", "compiler", "no specific subroutine"),
    ("call shmem_atomic_xor(numbers(1), 1.0, 0)", "compiler", "no specific subroutine"),
    ("call shmem_put(words, words, 10, SHMEM_CTX_DEFAULT)", "compiler", "no specific subroutine"),
    ("call shmem_put(words(1:9:2), words, 5, 0)", "job", "the argument dest is not contiguous"),
    ("call shmem_get_nbi(words, words(9:1:-2), 5, 0)", "job",
     "the argument source is not contiguous"),
    ("call shmem_put(words, words, 10, 3)", "job", "shmem_int32_put"),
)


def main():
    oshfort, oshrun, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    source, program = folder + "/mistake.f90", folder + "/mistake"
    wrong = []
    for statement, who, says in CASES:
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(statement))
        done = subprocess.run([oshfort, source, "-o", program], capture_output=True, text=True,
                              check=False)
        if (done.returncode != 0) != (who == "compiler"):
            wrong.append(f"{statement}: the compiler ended with {done.returncode}\n{done.stderr}")
            continue
        if who != "compiler":
            done = subprocess.run([oshrun, "-n", "2", "--timeout", "60", program],
                                  capture_output=True, text=True, check=False)
            if (done.returncode == 0) != (who is None):
                wrong.append(f"{statement}: status {done.returncode}")
        if says and says not in done.stderr:
            wrong.append(f"{statement}: no {says!r} in\n{done.stderr}")
    print("\n".join(wrong) or f"{len(CASES)} programs")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
