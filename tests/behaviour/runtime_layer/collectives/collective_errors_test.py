# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of a collective of the runtime layer goes unnoticed, hangs, or ends the
job without saying why.

The mistakes are made by collective_error_cases.c. Usage: collective_errors_test.py OSHRUN PROGRAM.
"""
import sys

from misuse import Misuse

# Case -> what a message says behind "[pe 1] ".
MESSAGES = {
    "root_outside": r"shmemx_gather: root 3 is not in \[0, 3\), the PEs of the team",
    "root_negative": r"shmemx_broadcast: root -1 is not in \[0, 3\), the PEs of the team",
    "no_bytes": "shmemx_allgather: element_bytes is 0; an element has at least one byte",
    "no_source": "shmemx_alltoall: source is NULL, with nelems 1; pass an array",
    "no_dest": "shmemx_allreduce: dest is NULL, with nelems 1; pass an array",
    "too_many": r"shmemx_allgather: nelems 2305843009213693952 of 8 bytes.* do not fit .*",
    "bad_type": "shmemx_allreduce: type 99 has no operation 1; see SHMEMX_TYPE_ and SHMEMX_OP_ in "
                "shmemx/types.h",
    "bad_op": "shmemx_allreduce: type 10 has no operation 5; .*",
    "no_op": "shmemx_allreduce_op: op is NULL; pass an operation with a function",
    "no_function": "shmemx_reduce_op: op->function is NULL; pass an operation with a function",
    "no_counts": "shmemx_allgatherv: the counts of dest are NULL; pass a value for each of the 3 "
                 "PEs",
    "no_displs": "shmemx_reduce_scatterv: the displs of source are NULL; .*",
    "far_displs": r"shmemx_allgatherv: counts \+ displs \d+ of 8 bytes do not fit .*",
    "in_place": "shmemx_alltoallv: dest is source; only equal blocks can be exchanged in place",
    "no_request": "shmemx_ibarrier: req is NULL; pass a variable for the request",
    "no_team": "shmemx_allgather: team is SHMEM_TEAM_INVALID; .*",
    "open_call": "shmem_team_destroy: 1 nonblocking collectives of the team are under way; wait "
                 "for their requests first",
}
DEBUG_MESSAGES = {
    "one_other_nelems": r"shmemx_allgather: nelems is \d here and \d on PE \d of the team; all PEs "
                        "must pass the same",
    "one_other_root": r"shmemx_broadcast: root is \d here and \d on PE \d of the team; .*",
    "one_other_routine": r"shmemx_al\w+: PE \d of the team calls shmemx_al\w+ instead; all PEs "
                         "must call the same routine",
    "one_other_count": r"shmemx_alltoallv: this PE expects \d elements from PE \d of the team, "
                       r"which gives \d",
    "one_other_counts": r"shmemx_reduce_scatterv: counts\[0\] is \d here and \d on PE \d of the "
                        "team",
}


def main():
    misuse = Misuse(npes=3, SHMEM_SYMMETRIC_SIZE="16M")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    for case, text in DEBUG_MESSAGES.items():
        misuse.expect_error(case, text, SHMEM_DEBUG="1")
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
