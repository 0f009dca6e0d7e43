# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong argument of a strided or indexed transfer goes unnoticed, or ends the job
without a message that names the routine, the argument and its value.

strided_cases.c makes the mistakes. Usage: strided_mistakes_test.py OSHRUN PROGRAM.
"""
import sys

from misuse import Misuse

ADDRESS = r"0x[0-9a-f]+"
PUT = "shmemx_put_strided: "
GET = "shmemx_get_strided: "
SIGNAL = "shmemx_put_strided_signal: "
IS_NO_OP = "is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD"


def is_null(routine, name):
    return f"shmemx_{routine}: {name} is NULL; pass an array"


def overlaps(i, stride):
    return (rf"dest_strides\[{i}\] is {stride}, so elements of 8 bytes overlap in dest; each "
            "element of dest is written once")


def too_wide(side):
    return (f"extents, {side}_strides and element_bytes reach over more bytes than any memory has; "
            "check them")


# Case -> what a message says behind "[pe 1] ".
MESSAGES = {
    "bad_pe": PUT + r"pe 77 is not in \[0, 2\)",
    "bad_pe_empty": PUT + r"pe -1 is not in \[0, 2\)",
    "too_many_dimensions": PUT + r"ndims 16 is not in \[0, 15\]",
    "negative_dimensions": PUT + r"ndims -1 is not in \[0, 15\]",
    "null_extents": is_null("put_strided", "extents"),
    "null_dest_strides": is_null("put_strided", "dest_strides"),
    "null_source_strides": is_null("put_strided", "source_strides"),
    "null_source": is_null("put_strided_nbi", "source"),
    "null_dest": is_null("get_strided", "dest"),
    "zero_stride_of_dest": PUT + overlaps(1, 0),
    "small_stride_of_dest": GET + overlaps(0, -7),
    "wide_dest": PUT + too_wide("dest"),
    "wide_source": PUT + too_wide("source"),
    "past_the_end": PUT + rf"\d+ bytes at {ADDRESS} run past the end of the program's static data, "
                    ".*; check the number of elements",
    "before_the_start": GET + rf"address {ADDRESS} is not symmetric: .*",
    "not_symmetric": PUT + rf"address {ADDRESS} is not symmetric: .*",
    "bad_context": "shmemx_ctx_get_strided: ctx is SHMEM_CTX_INVALID; .*",
    "other_bytes": "shmemx_put_indexed: dest_blocks have 64 bytes together, source_blocks 56; pass "
                   "lists of as many",
    "null_list": is_null("get_indexed", "source_blocks"),
    "null_dest_list": is_null("put_indexed", "dest_blocks"),
    "list_bad_pe": r"shmemx_put_indexed: pe 9 is not in \[0, 2\)",
    "list_of_too_many_bytes": r"shmemx_put_indexed: dest_blocks\[1\], of 8 bytes at offset "
                              r"9223372036854775807, lies in no memory; check the list",
    "list_past_the_end": rf"shmemx_get_indexed: address {ADDRESS} is not symmetric: .*",
    "list_null_source": is_null("put_indexed", "source"),
    "signal_bad_op": SIGNAL + f"sig_op 5 {IS_NO_OP}",
    "signal_bad_pe": SIGNAL + r"pe 2 is not in \[0, 2\)",
    "signal_not_symmetric": SIGNAL + rf"address {ADDRESS} is not symmetric: .*",
    "signal_not_aligned": SIGNAL + rf"address {ADDRESS} is not aligned to 8 bytes.*",
    "signal_of_overlaps": "shmemx_put_strided_signal_nbi: " + overlaps(1, 0),
    "signal_of_list_bad_op": f"shmemx_put_indexed_signal: sig_op -1 {IS_NO_OP}",
    "signal_of_list_bad_context": "shmemx_ctx_put_indexed_signal_nbi: ctx is SHMEM_CTX_INVALID; .*",
    "early": PUT + "called before shmem_init",
}


def main():
    misuse = Misuse(npes=2, SHMEM_SYMMETRIC_SIZE="2M")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    misuse.expect_success("right")
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
