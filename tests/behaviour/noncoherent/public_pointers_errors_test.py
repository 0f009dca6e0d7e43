# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of shmemx/coherence.h goes unnoticed or ends the job without saying why.

Usage: public_pointers_errors_test.py OSHRUN PROGRAM (public_pointer_cases.c).
"""
import sys

from misuse import Misuse

RANGE = r"nbytes is 1099511627776, but only \d+ bytes of symmetric memory begin at ptr 0x.*"
MESSAGES = {
    "early": "shmemx_writeback: called before shmem_init",
    "bad_pe": r"shmemx_public_ptr: pe 2 is not in \[0, 2\)",
    "null": "shmemx_writeback: ptr is a null pointer, nbytes 8; .*",
    "null_invalidate": "shmemx_invalidate: ptr is a null pointer, nbytes 8; .*",
    "long_range": "shmemx_writeback: " + RANGE,
    "long_public_range": "shmemx_invalidate: " + RANGE,
}


def main():
    misuse = Misuse(npes=2, SHMEM_SYMMETRIC_SIZE="2M", SHMEM_HEAP="noncoherent-emulated")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    misuse.expect_success("none", "right")
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
