// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of collective_errors_test.py, one for each argument. All PEs make it, or the last
// one where the name begins with "one_". A mistake that goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_last(void) { return shmem_my_pe() == shmem_n_pes() - 1; }

static double array[64];
static size_t counts[64], displs[64];

static void root_outside(void) {
    shmemx_gather(SHMEM_TEAM_WORLD, array, array, 1, 8, shmem_n_pes());
}
static void root_negative(void) { shmemx_broadcast(SHMEM_TEAM_WORLD, array, array, 1, 8, -1); }
static void no_bytes(void) { shmemx_allgather(SHMEM_TEAM_WORLD, array, array, 1, 0); }
static void no_source(void) { shmemx_alltoall(SHMEM_TEAM_WORLD, array, NULL, 1, 8); }
static void no_dest(void) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, NULL, array, 1, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM);
}
static void too_many(void) { shmemx_allgather(SHMEM_TEAM_WORLD, array, array, (size_t)1 << 61, 8); }
static void bad_type(void) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, array, array, 1, 99, SHMEMX_OP_SUM);
}
static void bad_op(void) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, array, array, 1, SHMEMX_TYPE_DOUBLE, SHMEMX_OP_AND);
}
static void no_op(void) { shmemx_allreduce_op(SHMEM_TEAM_WORLD, array, array, 1, NULL); }
static void no_function(void) {
    const shmemx_op_t op = {NULL, NULL, 8, 1};
    shmemx_reduce_op(SHMEM_TEAM_WORLD, array, array, 1, &op, 0);
}
static void no_counts(void) { shmemx_allgatherv(SHMEM_TEAM_WORLD, array, NULL, displs, array, 8); }
static void no_displs(void) {
    shmemx_reduce_scatterv(SHMEM_TEAM_WORLD, array, array, counts, NULL, SHMEMX_TYPE_DOUBLE,
                           SHMEMX_OP_SUM);
}
static void far_displs(void) {
    counts[0] = 1;
    displs[0] = (size_t)-1;
    shmemx_allgatherv(SHMEM_TEAM_WORLD, array, counts, displs, array, 8);
}
static void in_place(void) {
    shmemx_alltoallv(SHMEM_TEAM_WORLD, array, counts, displs, array, counts, displs, 8);
}
static void no_request(void) { shmemx_ibarrier(SHMEM_TEAM_WORLD, NULL); }
static void no_team(void) { shmemx_allgather(SHMEM_TEAM_INVALID, array, array, 1, 8); }
static void open_call(void) {
    shmem_team_t team;
    shmemx_req_t request;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team);
    if (shmem_my_pe() == 0) shmemx_ibarrier(team, &request);
    if (shmem_my_pe() == 0) shmem_team_destroy(team);
    shmem_barrier_all();
}
// With SHMEM_DEBUG=1:
static void one_other_nelems(void) {
    shmemx_allgather(SHMEM_TEAM_WORLD, array, array, is_last() ? 2 : 1, 8);
}
static void one_other_root(void) {
    shmemx_broadcast(SHMEM_TEAM_WORLD, array, array, 1, 8, is_last() ? 1 : 0);
}
static void one_other_routine(void) {
    if (is_last()) {
        shmemx_alltoall(SHMEM_TEAM_WORLD, array, array, 1, 8);
    } else {
        shmemx_allgather(SHMEM_TEAM_WORLD, array, array, 1, 8);
    }
}
static void one_other_count(void) {
    static double dest[64];
    for (int i = 0; i < shmem_n_pes(); ++i) counts[i] = is_last() && i == 0 ? 2 : 1;
    for (int i = 0; i < shmem_n_pes(); ++i) displs[i] = (size_t)i * 2;
    shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, counts, displs, array, counts, displs, 8);
}
static void one_other_counts(void) {
    static double dest[64];
    for (int i = 0; i < shmem_n_pes(); ++i) counts[i] = is_last() && i == 0 ? 2 : 1;
    for (int i = 0; i < shmem_n_pes(); ++i) displs[i] = (size_t)i * 2;
    shmemx_reduce_scatterv(SHMEM_TEAM_WORLD, dest, array, counts, displs, SHMEMX_TYPE_DOUBLE,
                           SHMEMX_OP_SUM);
}

#define CASE(NAME) \
    { #NAME, NAME }
static const struct {
    const char* name;
    void (*make)(void);
} cases[] = {
    CASE(root_outside),    CASE(root_negative),    CASE(no_bytes),       CASE(no_source),
    CASE(no_dest),         CASE(too_many),         CASE(bad_type),       CASE(bad_op),
    CASE(no_op),           CASE(no_function),      CASE(no_counts),      CASE(no_displs),
    CASE(far_displs),      CASE(in_place),         CASE(no_request),     CASE(no_team),
    CASE(open_call),       CASE(one_other_nelems), CASE(one_other_root), CASE(one_other_routine),
    CASE(one_other_count), CASE(one_other_counts),
};

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(argv[1], cases[i].name) != 0) continue;
        shmem_init();
        cases[i].make();
        shmem_finalize();
        return 0;
    }
    return 2;
}
