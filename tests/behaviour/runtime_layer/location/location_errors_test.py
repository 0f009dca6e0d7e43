# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of shmemx_pe_location goes unnoticed or ends the job without saying why,
or a PE's place does not follow its binding.

Usage: location_errors_test.py OSHRUN PROGRAM (location_cases.c).
"""
import os
import sys

from misuse import Misuse

MESSAGES = {
    "bad_pe": r"shmemx_pe_location: pe 2 is not in \[0, 2\)",
    "negative_pe": r"shmemx_pe_location: pe -1 is not in \[0, 2\)",
    "null": "shmemx_pe_location: location is a null pointer; .*",
    "early": "shmemx_pe_location: called before shmem_init",
    "late": "shmemx_pe_location: called after shmem_finalize; .*",
}
# Case -> what PE 0 prints. Two PEs that are not bound have no core where there are several.
PLACES = {
    "bound": r"node 0 core \d+ package \d+",
    "unbound": r"node 0 core -1 package -?\d+" if len(os.sched_getaffinity(0)) > 1 else r"node 0.*",
}


def main():
    misuse = Misuse(npes=2, options=("--bind-to", "none"), SHMEM_SYMMETRIC_SIZE="2M")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    for case, text in PLACES.items():
        misuse.expect_success(case, text)
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
