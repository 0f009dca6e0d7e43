# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of a registered segment goes unnoticed, gives a wrong result, or ends a
job without saying why.

The mistakes are made by segment_cases.c. Usage: segments_errors_test.py OSHRUN PROGRAM.
"""
import os
import re
import subprocess
import sys

NPES = 3
HANG_SECONDS = 60
ADDRESS = r"0x[0-9a-f]+"


def outside(routine, nbytes, offset, pe, part):
    return (rf"{routine}: {nbytes} bytes at {ADDRESS}, byte {offset} of the part of PE {pe} of a "
            rf"segment, are not all in that part, which has {part} bytes; check the number of "
            "elements, and pass the PE that shmemx_gptr_pe gives")


def no_segment(routine):
    return (rf"{routine}: (?:{ADDRESS}|0) is no segment of this PE \(any more\); pass a value from "
            "shmemx_register, before shmemx_deregister")


def not_taken(routine):
    return (rf"{routine}: {ADDRESS} is the name of memory of a registered segment, which this "
            "routine does not take; pass the memory itself, or use memory from shmem_malloc")


def stranger(routine):
    return f"{routine}: PE 2 is not in the team that registered the segment; pass a member"


MESSAGES = {
    "put_behind": outside("shmem_putmem", 1, 24, 0, 24),
    "put_over_end": outside("shmem_putmem", 5, 20, 0, 24),
    "put_before": rf"shmem_putmem: (?:{ADDRESS} is the name of memory that is not registered .*|"
                  r"1 bytes at .*, byte -1 of the part of PE 0 of a segment, .*)",
    "put_large_part": outside("shmem_putmem", 32, r"-?\d+", 0, 24),
    "get_own_behind": outside("shmem_getmem", 3, 30, 1, 32),
    "atomic_behind": outside("shmem_long_atomic_inc", 8, 24, 0, 24),
    "put_nbi_behind": outside("shmem_putmem_nbi", 1, 24, 0, 24),
    "signal_behind": outside("shmem_putmem_signal", 8, 24, 0, 24),
    "strided_behind": outside("shmemx_put_strided", 25, 0, 0, 24),
    "request_behind": outside("shmemx_putmem_req", 8, 17, 0, 24),
    "accumulate_behind": outside("shmemx_accumulate", 32, 0, 0, 24),
    "wait_behind": outside("shmem_long_wait_until", 8, 32, 1, 32),
    "misaligned": rf"shmem_long_atomic_inc: address {ADDRESS} is not aligned to 8 bytes, as this "
                  "operation needs",
    "wrong_pe": rf"shmem_putmem: {ADDRESS} is the name of memory of a segment, and PE 2 is not in "
                "the team that registered it; pass the PE that shmemx_gptr_pe gives",
    "after_deregister": rf"shmem_putmem: {ADDRESS} is the name of memory that is not registered "
                        r"\(any more\); use a segment between shmemx_register and "
                        "shmemx_deregister",
    "deregister_twice": no_segment("shmemx_deregister"),
    "no_segment": no_segment("shmemx_deregister"),
    "by_stranger": no_segment("shmemx_segment_bytes"),
    "gptr_of_stranger": stranger("shmemx_segment_gptr"),
    "bytes_of_stranger": stranger("shmemx_segment_bytes"),
    "gptr_bad_pe": r"shmemx_segment_gptr: pe 9 is not in \[0, 3\)",
    "lock_name": not_taken("shmemx_mutex_lock"),
    "collective_name": not_taken("shmemx_allreduce"),
    "register_null": r"shmemx_register: base \(nil\) with 4 bytes is no memory",
    "register_no_variable": "shmemx_register: segment is NULL; pass a variable",
    "register_wrap": rf"shmemx_register: base {ADDRESS} with \d+ bytes is no memory",
    "register_huge": r"shmemx_register: \d+ bytes are more than a segment can have, \d+",
    "register_stack": rf"shmemx_register: the memory at {ADDRESS} holds the stack of the calling "
                      "thread; give memory from malloc or mmap",
    "register_no_team": "shmemx_register: .*SHMEM_TEAM_INVALID.*",
    "unmapped": r"cannot copy to registered memory of PE 0 \(pid \d+\): Bad address; both memories "
                "must be mapped, readable and writable, the registered one until "
                "shmemx_deregister",
    "early": "shmemx_register: called before shmem_init",
    "late": "shmemx_deregister: called after shmem_finalize; .*",
}
# No mistakes.
RIGHT = ("none", "init_again", "end_without_finalize")
# On several nodes the message of memory that is gone is the network's.
ONE_NODE_ONLY = {"unmapped"}


def run(oshrun, program, case, **variables):
    environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE="4M", **variables)
    return subprocess.run([oshrun, "-n", str(NPES), program, case], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANG_SECONDS)


def main():
    oshrun, program = sys.argv[1:]
    failures = 0
    for layout in ({}, {"SHMEM_VIRTUAL_NODES": "3", "SHMEM_FABRIC": "loopback"}):
        for case, text in MESSAGES.items():
            if layout and case in ONE_NODE_ONLY:
                continue
            result = run(oshrun, program, case, **layout)
            is_said = any(re.fullmatch(rf".*?(?:\[pe \d\] )?{text}", line)
                          for line in result.stdout.splitlines())
            if result.returncode == 0 or not is_said:
                failures += 1
                print(f"{case} {layout}: ended with {result.returncode} and said:\n"
                      f"{result.stdout}")
        for case in RIGHT:
            result = run(oshrun, program, case, **layout)
            if result.returncode != 0:
                failures += 1
                print(f"{case} {layout}: ended with {result.returncode} and said:\n"
                      f"{result.stdout}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
