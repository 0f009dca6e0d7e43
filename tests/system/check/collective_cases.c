// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that do not match.
#include "cases.h"

static long source[64], dest[512], other[512];
static long sync_a[SHMEM_SYNC_SIZE], sync_b[SHMEM_SYNC_SIZE];

static int is_odd_one(void) { return me == npes - 1; }

CASE(missed_barrier) {
    shmem_barrier_all();
    if (!is_odd_one()) shmem_barrier_all();
}

CASE(missed_sync) {
    if (!is_odd_one()) shmem_sync_all();
}

CASE(barrier_and_sync) {
    if (is_odd_one()) {
        shmem_sync_all();
    } else {
        shmem_barrier_all();
    }
}

CASE(barrier_and_broadcast) {
    if (is_odd_one()) {
        shmem_barrier_all();
    } else {
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, 0);
    }
}

CASE(wrong_root) { shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, is_odd_one() ? 1 : 0); }

CASE(own_root) { shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, me); }

CASE(length_of_broadcast) {
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, is_odd_one() ? 8 : 4, 0);
}

CASE(length_of_reduce) {
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, is_odd_one() ? 3 : 2);
}

CASE(length_of_fcollect) {
    shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, is_odd_one() ? 1 : 2);
}

CASE(length_of_alltoall) {
    shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, is_odd_one() ? 1 : 2);
}

CASE(operation_of_reduce) {
    if (is_odd_one()) {
        shmem_long_max_reduce(SHMEM_TEAM_WORLD, dest, source, 2);
    } else {
        shmem_long_min_reduce(SHMEM_TEAM_WORLD, dest, source, 2);
    }
}

CASE(type_of_reduce) {
    if (is_odd_one()) {
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 2);
    } else {
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)dest, (double*)source, 2);
    }
}

CASE(dest_of_fcollect) {
    shmem_long_fcollect(SHMEM_TEAM_WORLD, is_odd_one() ? other : dest, source, 2);
}

CASE(strides_of_alltoalls) {
    shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, source, is_odd_one() ? 2 : 1, 1, 2);
}

CASE(order_of_collectives) {
    for (int i = 0; i < 2; i++) {
        if (i == is_odd_one()) {
            shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 2);
        } else {
            shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, 2);
        }
    }
}

CASE(order_of_teams) {
    shmem_team_t all;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &all);
    if (is_odd_one()) {
        shmem_team_sync(all);
        shmem_sync_all();
    } else {
        shmem_sync_all();
        shmem_team_sync(all);
    }
}

CASE(size_of_malloc) { shmem_malloc(is_odd_one() ? 80 : 40); }

CASE(one_does_not_malloc) {
    if (!is_odd_one()) shmem_malloc(40);
}

CASE(calloc_and_malloc) {
    if (is_odd_one()) {
        shmem_calloc(5, 8);
    } else {
        shmem_malloc(40);
    }
}

CASE(order_of_free) {
    long* a = shmem_malloc(8);
    long* b = shmem_malloc(8);
    shmem_free(is_odd_one() ? b : a);
    shmem_free(is_odd_one() ? a : b);
}

CASE(size_of_split) {
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, is_odd_one() ? 1 : 2, NULL, 0, &team);
}

CASE(barrier_in_one_team) {
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    if (is_odd_one()) {
        shmem_long_sum_reduce(team, dest, source, 1);
    } else {
        shmem_team_sync(team);
    }
}

CASE(active_set_root) {
    shmem_broadcast64(dest, source, 2, is_odd_one() ? 1 : 0, 0, 0, npes, sync_a);
}

CASE(active_set_sync) { shmem_barrier(0, 0, npes, is_odd_one() ? sync_b : sync_a); }

CASE(finalize_and_reduce) {
    if (!is_odd_one()) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 2);
}
