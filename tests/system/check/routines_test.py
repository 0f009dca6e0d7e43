# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a routine of the library that tools/interpose does not define, so that the checker
and the tracer miss its calls.

Usage: routines_test.py NM LIBRARY CHECKER
"""
import subprocess
import sys

# Routines of shmemx.h that transfer, synchronize and allocate nothing, or whose objects are hidden.
NOT_OBSERVED = {
    "shmemx_collective_algorithm",
    "shmemx_ct_create", "shmemx_ct_free", "shmemx_ct_get", "shmemx_ct_set", "shmemx_ct_wait",
    "shmemx_get_uniqueid", "shmemx_gptr_add", "shmemx_gptr_addr", "shmemx_gptr_diff",
    "shmemx_gptr_of", "shmemx_gptr_pe", "shmemx_gptr_ptr", "shmemx_heap_postinit",
    "shmemx_nodename", "shmemx_pcntr_get_all", "shmemx_pcntr_get_completed_read",
    "shmemx_pcntr_get_completed_target", "shmemx_pcntr_get_completed_write",
    "shmemx_pcntr_get_issued_read", "shmemx_pcntr_get_issued_write", "shmemx_pe_location",
    "shmemx_query_interoperability", "shmemx_register_gettid",
    "shmemx_segment_bytes", "shmemx_segment_gptr", "shmemx_survive_failures", "shmemx_wtime"}

# Functions of the C library that the library replaces (cmake/tessera.map).
REPLACED = {"fork", "pthread_create"}


def names(nm, library, kind):
    out = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    fields = [line.split() for line in out.splitlines()]
    return {name.split("@")[0] for _, letter, name in fields if letter == kind}


def main():
    nm, library, checker = sys.argv[1:]
    routines = names(nm, library, "W")
    observed = names(nm, checker, "T")
    assert len(routines) > 2500, len(routines)
    missing = sorted(routines - observed - NOT_OBSERVED - REPLACED)
    needless = sorted(NOT_OBSERVED & observed | NOT_OBSERVED - routines)
    for name in missing:
        print(f"{name} is not defined by tools/interpose: calls of it are not seen")
    for name in needless:
        print(f"{name} is observed, or no routine: take it out of NOT_OBSERVED")
    sys.exit(1 if missing or needless else 0)


main()
