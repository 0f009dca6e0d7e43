// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of collective_errors_test.py, one for each argument. All PEs make it, or the last
// one where the name begins with "one_". A mistake that goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/named_cases.h"

static int is_last(void) { return shmem_my_pe() == shmem_n_pes() - 1; }

static double array[64];
static size_t counts[64], displs[64];

CASE(root_outside) { shmemx_gather(SHMEM_TEAM_WORLD, array, array, 1, 8, shmem_n_pes()); }
CASE(root_negative) { shmemx_broadcast(SHMEM_TEAM_WORLD, array, array, 1, 8, -1); }
CASE(no_bytes) { shmemx_allgather(SHMEM_TEAM_WORLD, array, array, 1, 0); }
CASE(no_source) { shmemx_alltoall(SHMEM_TEAM_WORLD, array, NULL, 1, 8); }
CASE(no_dest) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, NULL, array, 1, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM);
}
CASE(too_many) { shmemx_allgather(SHMEM_TEAM_WORLD, array, array, (size_t)1 << 61, 8); }
CASE(bad_type) { shmemx_allreduce(SHMEM_TEAM_WORLD, array, array, 1, 99, SHMEMX_OP_SUM); }
CASE(bad_op) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, array, array, 1, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_AND);
}
CASE(no_op) { shmemx_allreduce_op(SHMEM_TEAM_WORLD, array, array, 1, NULL); }
CASE(no_function) {
    const shmemx_op_t op = {NULL, NULL, 8, 1};
    shmemx_reduce_op(SHMEM_TEAM_WORLD, array, array, 1, &op, 0);
}
CASE(no_counts) { shmemx_allgatherv(SHMEM_TEAM_WORLD, array, NULL, displs, array, 8); }
CASE(no_displs) {
    shmemx_reduce_scatterv(SHMEM_TEAM_WORLD, array, array, counts, NULL, SHMEMX_TYPE_DOUBLE,
                           SHMEMX_OP_SUM);
}
CASE(far_displs) {
    counts[0] = 1;
    displs[0] = (size_t)-1;
    shmemx_allgatherv(SHMEM_TEAM_WORLD, array, counts, displs, array, 8);
}
CASE(in_place) {
    shmemx_alltoallv(SHMEM_TEAM_WORLD, array, counts, displs, array, counts, displs, 8);
}
CASE(no_request) { shmemx_ibarrier(SHMEM_TEAM_WORLD, NULL); }
CASE(no_team) { shmemx_allgather(SHMEM_TEAM_INVALID, array, array, 1, 8); }
CASE(open_call) {
    shmem_team_t team;
    shmemx_req_t request;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team);
    if (shmem_my_pe() == 0) shmemx_ibarrier(team, &request);
    if (shmem_my_pe() == 0) shmem_team_destroy(team);
    shmem_barrier_all();
}
// With SHMEM_DEBUG=1:
CASE(one_other_nelems) { shmemx_allgather(SHMEM_TEAM_WORLD, array, array, is_last() ? 2 : 1, 8); }
CASE(one_other_root) { shmemx_broadcast(SHMEM_TEAM_WORLD, array, array, 1, 8, is_last() ? 1 : 0); }
CASE(one_other_routine) {
    if (is_last()) {
        shmemx_alltoall(SHMEM_TEAM_WORLD, array, array, 1, 8);
    } else {
        shmemx_allgather(SHMEM_TEAM_WORLD, array, array, 1, 8);
    }
}
CASE(one_other_count) {
    static double dest[64];
    for (int i = 0; i < shmem_n_pes(); ++i) counts[i] = is_last() && i == 0 ? 2 : 1;
    for (int i = 0; i < shmem_n_pes(); ++i) displs[i] = (size_t)i * 2;
    shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, counts, displs, array, counts, displs, 8);
}
CASE(one_other_counts) {
    static double dest[64];
    for (int i = 0; i < shmem_n_pes(); ++i) counts[i] = is_last() && i == 0 ? 2 : 1;
    for (int i = 0; i < shmem_n_pes(); ++i) displs[i] = (size_t)i * 2;
    shmemx_reduce_scatterv(SHMEM_TEAM_WORLD, dest, array, counts, displs, SHMEMX_TYPE_DOUBLE,
                           SHMEMX_OP_SUM);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    shmem_init();
    if (!run_case(argv[1])) return 2;
    shmem_finalize();
    return 0;
}
