# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of a request or of accumulate goes unnoticed, ends a job without saying
why, or right uses end it, too.

The cases are those of request_cases.c. Usage: request_errors_test.py OSHRUN PROGRAM.
"""
import sys

from misuse import Misuse

NPES = 2
ADDRESS = r"(?:0x[0-9a-f]+|\(nil\))"
HAS_ENDED = rf"req {ADDRESS} has ended; a wait for remote completion, or shmemx_req_free, ends .*"
NO_REQUEST = rf"req {ADDRESS} is not a request; pass the variable that a routine with _req .*"
IS_NULL = "{} is NULL, with nelems 1; pass an array"

# Case -> what a message says behind "[pe N] ". The PEs are on nodes of their own.
MESSAGES = {
    "no_request": "shmemx_req_wait: " + NO_REQUEST,
    "no_request_in_array": "shmemx_req_waitany: " + NO_REQUEST,
    "ended": "shmemx_req_wait: " + HAS_ENDED,
    "freed_twice": "shmemx_req_free: " + HAS_ENDED,
    "of_another_pe": rf"shmemx_req_test: req {ADDRESS} belongs to another PE; the PE that made it "
                     "waits for it",
    "bad_completion": "shmemx_req_wait: completion 2 is neither SHMEMX_LOCAL nor SHMEMX_REMOTE",
    "no_variable": "shmemx_long_put_req: req is NULL; pass the address of a variable of type "
                   "shmemx_req_t",
    "no_variable_to_wait": "shmemx_req_wait: req is NULL; .*",
    "no_array": "shmemx_req_waitall: reqs is NULL, with nreqs 3; pass an array",
    "no_indices": "shmemx_req_waitsome: indices is NULL, with nreqs 2; pass an array",
    "no_answer": "shmemx_req_test: is_complete is NULL; pass an int",
    "no_source": "shmemx_long_put_req: " + IS_NULL.format("source"),
    "no_fetch": "shmemx_long_atomic_fetch_req: " + IS_NULL.format("fetch"),
    "bad_pe": r"shmemx_long_get_req: pe 2 is not in \[0, 2\)",
    "not_symmetric": rf"shmemx_long_put_req: address {ADDRESS} is not symmetric: .*",
    "past_the_end": rf"shmemx_long_put_req: \d+ bytes at {ADDRESS} run past the end of the "
                    "program's static data.*",
    "unaligned": rf"shmemx_long_atomic_inc_req: address {ADDRESS} is not aligned to 8 bytes, .*",
    "accumulate_type": "shmemx_accumulate: type 14 is no SHMEMX_TYPE_ of shmemx/types.h",
    "accumulate_op": r"shmemx_accumulate: op 5 is no SHMEMX_OP_ that elements of type 10 have; .*",
    "accumulate_no_op_code": r"shmemx_accumulate: op 11 is no SHMEMX_OP_ that .*",
    "accumulate_no_source": "shmemx_accumulate: " + IS_NULL.format("source"),
    "accumulate_unaligned": rf"shmemx_accumulate: address {ADDRESS} is not aligned to 4 bytes, .*",
    "accumulate_past_the_end": rf"shmemx_accumulate: \d+ bytes at {ADDRESS} run past the end of "
                               "the program's static data.*",
    "get_accumulate_no_result": "shmemx_get_accumulate: " + IS_NULL.format("result"),
    "get_accumulate_no_source": "shmemx_get_accumulate: " + IS_NULL.format("source"),
    "fetch_op_wide": "shmemx_fetch_op: type 11 has 16 bytes, and a single element has 8 at most; "
                     "use shmemx_get_accumulate",
    "fetch_op_no_value": "shmemx_fetch_op: " + IS_NULL.format("value"),
    "compare_swap_float": "shmemx_compare_swap: type 9 is none of the integers of shmemx/types.h",
    "compare_swap_unaligned": rf"shmemx_compare_swap: address {ADDRESS} is not aligned to 2 "
                              "bytes, .*",
}
WARNINGS = {
    "forgotten": r"shmem_finalize: 2 requests were not waited for; the first is of "
                 "shmemx_long_atomic_inc_req",
    "all_is_well": None,
}


def main():
    misuse = Misuse(npes=NPES, SHMEM_SYMMETRIC_SIZE="8M", SHMEM_VIRTUAL_NODES=str(NPES),
                    SHMEM_DEBUG="0")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    misuse.expect_error("-", "shmemx_req_wait: called before shmem_init", "before_init")
    for case, warning in WARNINGS.items():
        misuse.expect_success(case, warning, SHMEM_DEBUG="1")
        result = misuse.run(case)
        misuse.check(case, result,
                     result.returncode == 0 and "were not waited for" not in result.stdout,
                     "no warning without SHMEM_DEBUG")
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
