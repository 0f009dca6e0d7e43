// SPDX-License-Identifier: BSD-3-Clause
//
// Misuse of locks, contexts, teams and pSync.
#include "cases.h"

static long lock_word, flags[8], dest[512];
static long sync_a[SHMEM_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

CASE(clear_of_free_lock) { shmem_clear_lock(&lock_word); }

CASE(clear_by_another) {
    if (me == 0) shmem_set_lock(&lock_word);
    shmem_barrier_all();
    if (me == 1) shmem_clear_lock(&lock_word);
    shmem_barrier_all();
    if (me == 0) shmem_clear_lock(&lock_word);
}

CASE(clear_twice) {
    shmem_set_lock(&lock_word);
    shmem_clear_lock(&lock_word);
    shmem_clear_lock(&lock_word);
}

CASE(lock_twice) {
    shmem_set_lock(&lock_word);
    shmem_set_lock(&lock_word);
}

CASE(lock_not_released) {
    if (me == 0) shmem_set_lock(&lock_word);
}

CASE(trylock_not_released) {
    if (me == 0 && shmem_test_lock(&lock_word) != 0) abort();
}

CASE(lock_freed) {
    long* lock = shmem_calloc(1, sizeof *lock);
    if (me == 0) shmem_set_lock(lock);
    shmem_free(lock);
}

CASE(context_after_destroy) {
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    shmem_ctx_destroy(ctx);
    shmem_ctx_long_p(ctx, flags, 1, 0);
}

CASE(context_destroyed_twice) {
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    shmem_ctx_destroy(ctx);
    shmem_ctx_destroy(ctx);
}

CASE(private_context_left) {
    shmem_ctx_t ctx;
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx);
}

CASE(context_outlives_team) {
    shmem_team_t team;
    shmem_ctx_t ctx;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE, &ctx);
    shmem_team_destroy(team);
}

CASE(team_after_destroy) {
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    shmem_team_destroy(team);
    shmem_team_sync(team);
}

CASE(team_number_after_destroy) {
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    shmem_team_destroy(team);
    flags[0] = shmem_team_my_pe(team);
}

CASE(context_of_destroyed_team) {
    shmem_team_t team;
    shmem_ctx_t ctx;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    shmem_team_create_ctx(team, 0, &ctx);
    shmem_team_destroy(team);
    shmem_ctx_quiet(ctx);
}

CASE(team_left) {
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
}

CASE(context_left) {
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
}

CASE(sync_not_initialized) {
    sync_a[3] = 17;
    shmem_barrier(0, 0, npes, sync_a);
}

CASE(sync_in_use) {
    shmem_broadcast64(dest, flags, 2, 0, 0, 0, npes, sync_a);
    shmem_broadcast64(dest, flags, 2, 0, 0, 0, npes, sync_a);
}

CASE(sync_in_use_by_reduce) {
    shmem_long_sum_to_all(dest, flags, 2, 0, 0, npes, work, sync_a);
    shmem_fcollect64(dest, flags, 2, 0, 0, npes, sync_a);
}

CASE(sync_too_short) {
    long* block = shmem_calloc(8, sizeof *block);
    shmem_barrier(0, 0, npes, block);
}

CASE(work_too_short) {
    long* block = shmem_calloc(8, sizeof *block);
    shmem_long_sum_to_all(dest, flags, 2, 0, 0, npes, block, sync_a);
}
