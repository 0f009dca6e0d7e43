# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of local memory or of a global pointer goes unnoticed, or ends a job
without saying why.

The mistakes are made by memory_error_cases.c. Usage: memory_errors_test.py OSHRUN PROGRAM.
"""
import re
import sys

from misuse import Misuse

NPES = 2
ADDRESS = r"0x[0-9a-f]+"


def no_block(routine):
    return (rf"{routine}: {ADDRESS} is not the start of an allocated block of local memory "
            r"\(freed twice\?\)")


def elsewhere(routine, memory):
    return (rf"{routine}: {ADDRESS} lies in {memory}, not in local memory; free it by the routine "
            "that belongs to the one that allocated it")


def no_pointer(routine):
    return (rf"{routine}: {ADDRESS} is not a global pointer of this job; pass what a routine "
            r"shmemx_gptr_\.\.\. gave")


NOT_SYMMETRIC = rf"address {ADDRESS} is not symmetric: .*"
NO_DISTANCE = (rf"shmemx_gptr_diff: {ADDRESS} and (?:{ADDRESS}|0) do not point into the same "
               "memory .*")
NO_MEMORY = rf"shmemx_gptr_add: -?\d+ bytes from {ADDRESS} is no memory; check the distance"
FREE = "shmemx_local_free"
MESSAGES = {
    "free_twice": no_block(FREE),
    "free_middle": no_block(FREE),
    "free_unaligned": no_block(FREE),
    "free_heap": elsewhere(FREE, "symmetric heap"),
    "free_static": elsewhere(FREE, "the program's own memory"),
    "free_stack": f"{FREE}: {NOT_SYMMETRIC}",
    "free_never_allocated": no_block(FREE),
    "free_of_peer": rf"{FREE}: {ADDRESS} lies in the memory of PE 0 .*",
    "realloc_freed": no_block("shmemx_local_realloc"),
    "realloc_heap": elsewhere("shmemx_local_realloc", "symmetric heap"),
    "heap_free_local": rf"shmem_free: {ADDRESS} lies in local memory; only blocks of the symmetric "
                       "heap can be freed or resized here",
    "of_stack": f"shmemx_gptr_of: {NOT_SYMMETRIC}",
    "of_bad_pe": r"shmemx_gptr_of: pe 77 is not in \[0, 2\)",
    "of_negative_pe": r"shmemx_gptr_of: pe -1 is not in \[0, 2\)",
    "pe_of_nonsense": no_pointer("shmemx_gptr_pe"),
    "addr_of_nonsense": no_pointer("shmemx_gptr_addr"),
    "addr_outside": no_pointer("shmemx_gptr_addr"),
    "ptr_of_nonsense": no_pointer("shmemx_gptr_ptr"),
    "add_null": "shmemx_gptr_add: 0 is not a global pointer of this job; .*",
    "add_too_much": NO_MEMORY,
    "add_below": NO_MEMORY,
    "diff_of_pes": NO_DISTANCE,
    "diff_of_kinds": NO_DISTANCE,
    "diff_null": NO_DISTANCE,
    "early_malloc": "shmemx_local_malloc: called before shmem_init",
    "early_of": "shmemx_gptr_of: called before shmem_init",
    "late_malloc": "shmemx_local_malloc: called after shmem_finalize; .*",
    "late_free": "shmemx_local_free: called after shmem_finalize; .*",
}


def main():
    misuse = Misuse(npes=NPES, SHMEM_SYMMETRIC_SIZE="4M", SHMEM_TEAM_MEMORY_SIZE="2M",
                    SHMEM_LOCAL_MEMORY_SIZE="4M")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    result = misuse.run("leak", SHMEM_DEBUG="1")
    told = re.findall(r"\[pe \d\] shmem_finalize: not freed: a block of 64 bytes at offset 0 of "
                      r"local memory\n", result.stdout)
    misuse.check("leak", result, result.returncode == 0 and len(told) == NPES, "a line of each PE")
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
