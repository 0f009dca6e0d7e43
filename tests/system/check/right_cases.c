// SPDX-License-Identifier: BSD-3-Clause
//
// Right twins of the cases of memory_cases.c, state_cases.c and shmemx_cases.c: the checker says
// nothing, a note included.
#include <shmemx.h>

#include "cases.h"

enum { PES_MAX = 8 };

static long data[64], other[64], lock_word;
static long sync_a[SHMEM_SYNC_SIZE], sync_b[SHMEM_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static size_t counts[PES_MAX], displs[PES_MAX];
static int right(void) { return (me + 1) % npes; }

static void set_lists(size_t count) {
    for (int i = 0; i < npes; i++) {
        counts[i] = count;
        displs[i] = count * (size_t)i;
    }
}

// ---- Memory -------------------------------------------------------------------------------------

CASE(whole_blocks) {  // to the last byte, and again after each free
    for (int step = 0; step < 3; step++) {
        char* block = shmem_malloc(80);
        memset(block, step, 80);
        shmem_barrier_all();
        shmem_putmem(block, data, 80, right());
        shmem_barrier_all();
        shmem_getmem(other, block, 80, right());
        shmem_free(block);
    }
}

CASE(moved_blocks) {
    char* block = shmem_malloc(10);
    block = shmem_realloc(block, 1 << 20);
    block[(1 << 20) - 1] = 1;
    shmem_barrier_all();
    block = shmem_realloc(block, 100);
    block[99] = 1;
    shmem_free(block);
}

CASE(aligned_blocks) {
    char* block = shmem_align(256, 100);
    char* large = shmem_align(1 << 16, 100);
    if ((uintptr_t)block % 256 != 0 || (uintptr_t)large % (1 << 16) != 0) abort();
    block[0] = large[0] = block[99] = large[99] = 1;
    shmem_barrier_all();
    shmem_free(large);
    shmem_free(block);
}

CASE(neighbouring_arguments) {
    long* block = shmem_calloc(20, 8);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block + 4, block, 4);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block, block, 4);
    shmem_putmem((char*)data + 8, data, 8, me);
    shmem_barrier_all();
    shmem_long_put_signal(data, other, 3, (uint64_t*)(data + 3), 1, SHMEM_SIGNAL_SET, right());
    shmem_free(block);
}

// ---- Locks, contexts, teams, pSync --------------------------------------------------------------

CASE(locks) {
    shmem_set_lock(&lock_word);
    shmem_clear_lock(&lock_word);
    while (shmem_test_lock(&lock_word) != 0) {
    }
    shmem_clear_lock(&lock_word);
    long* lock = shmem_calloc(1, sizeof *lock);
    shmem_set_lock(lock);
    shmem_clear_lock(lock);
    shmem_free(lock);
}

CASE(contexts) {
    for (int step = 0; step < 3; step++) {
        shmem_ctx_t shared, own;
        if (shmem_ctx_create(0, &shared) != 0) abort();
        if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) != 0) abort();
        shmem_ctx_long_p(shared, data, 1, right());
        shmem_ctx_quiet(shared);
        shmem_ctx_destroy(own);
        shmem_ctx_destroy(shared);
        shmem_barrier_all();
    }
}

CASE(teams) {
    for (int step = 0; step < 3; step++) {
        shmem_team_t team;
        shmem_ctx_t ctx;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
        if (shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE, &ctx) != 0) abort();
        shmem_ctx_long_p(ctx, data, 1, right());
        shmem_ctx_destroy(ctx);
        shmem_team_sync(team);
        shmem_team_destroy(team);
    }
}

CASE(sync_arrays) {
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++) sync_a[i] = sync_b[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    shmem_broadcast64(data, other, 2, 0, 0, 0, npes, sync_a);
    shmem_broadcast64(data, other, 2, 0, 0, 0, npes, sync_b);
    shmem_barrier_all();
    shmem_long_sum_to_all(data, other, 2, 0, 0, npes, work, sync_a);
    shmem_barrier_all();
    shmem_fcollect64(data, other, 2, 0, 0, npes, sync_a);
}

// ---- Team and local memory ----------------------------------------------------------------------

CASE(team_blocks) {  // to the last byte, and again after each free
    for (int step = 0; step < 3; step++) {
        char* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 80);
        char* aligned = shmemx_team_align(SHMEM_TEAM_WORLD, 4096, 81);
        long* zeros = shmemx_team_calloc(SHMEM_TEAM_WORLD, 10, 8);
        if (zeros[9] != 0 || (uintptr_t)aligned % 4096 != 0) abort();
        block[79] = aligned[80] = 1;
        shmem_barrier_all();
        shmem_putmem(block, data, 80, right());
        shmem_barrier_all();
        shmemx_team_free(SHMEM_TEAM_WORLD, zeros);
        shmemx_team_free(SHMEM_TEAM_WORLD, aligned);
        shmemx_team_free(SHMEM_TEAM_WORLD, block);
    }
}

CASE(blocks_of_a_destroyed_team) {  // the next team gets the same memory
    for (int step = 0; step < 3; step++) {
        shmem_team_t team;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
        char* block = shmemx_team_malloc(team, 80 + (size_t)step);
        shmem_putmem(block, data, 80, right());
        shmem_barrier_all();
        shmem_team_destroy(team);
    }
}

// Teams without a common PE have blocks of other sizes at the same addresses: PE 0 puts to the long
// block of the others, before and after it frees its own short one.
CASE(blocks_of_other_teams) {
    static shmemx_gptr_t there;
    shmem_team_t team;
    shmemx_team_split_color(SHMEM_TEAM_WORLD, me == 0, me, NULL, 0, &team);
    char* block = shmemx_team_malloc(team, me == 0 ? 16 : 240);
    if (me == 1) shmem_uint64_p((uint64_t*)&there, shmemx_gptr_of(block, me), 0);
    shmem_barrier_all();
    if (me == 0 && npes > 1) shmem_putmem(shmemx_gptr_addr(there), data, 240, 1);
    shmem_barrier_all();
    if (me == 0) shmemx_team_free(team, block);
    shmem_barrier_all();
    if (me == 0 && npes > 1) shmem_putmem(shmemx_gptr_addr(there), data, 240, 1);
    shmem_barrier_all();
    if (me != 0) shmemx_team_free(team, block);
    shmem_team_destroy(team);
}

CASE(team_block_of_strangers) {  // The last PE is no member.
    static shmemx_gptr_t gptr;
    static shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes > 1 ? npes - 1 : 1, NULL, 0, &team);
    char* block = team != SHMEM_TEAM_INVALID ? shmemx_team_malloc(team, 64) : NULL;
    if (me == 0) gptr = shmemx_gptr_of(block, 0);
    shmem_barrier_all();
    if (me == npes - 1) shmem_putmem(shmemx_gptr_addr(shmem_uint64_g(&gptr, 0)), data, 64, 0);
    shmem_barrier_all();
    if (team == SHMEM_TEAM_INVALID) return;
    shmemx_team_free(team, block);
    shmem_team_destroy(team);
}

CASE(local_blocks) {
    for (int step = 0; step < 3; step++) {
        char* block = shmemx_local_malloc(80);
        char* aligned = shmemx_local_align(512, 81);
        long* zeros = shmemx_local_calloc(10, 8);
        if (zeros[9] != 0 || (uintptr_t)aligned % 512 != 0) abort();
        block[79] = aligned[80] = 1;
        block = shmemx_local_realloc(block, 1000);
        if (block[79] != 1) abort();
        block[999] = 1;
        shmem_getmem(block, data, 512, right());
        shmemx_local_free(zeros);
        shmemx_local_free(aligned);
        shmemx_local_free(block);
    }
}

// Each PE has its own blocks: the address of a neighbour's block is freed memory here.
CASE(local_blocks_of_others) {
    static shmemx_gptr_t there;
    char* block = shmemx_local_malloc(400);
    if (me % 2 == 0) {
        shmemx_local_free(block);
        block = shmemx_local_malloc(16);
    }
    shmem_uint64_p((uint64_t*)&there, shmemx_gptr_of(block, me), right());
    shmem_barrier_all();
    const int left = shmemx_gptr_pe(there);
    if (left % 2 != 0) shmem_putmem(shmemx_gptr_addr(there), data, 400, left);
    shmem_barrier_all();
    shmemx_local_free(block);
}

// ---- Shapes -------------------------------------------------------------------------------------

CASE(sections) {  // sections use all of their blocks, upwards and downwards
    const size_t extents[] = {2, 3}, three[] = {3};
    const ptrdiff_t strides[] = {56, 8}, rows[] = {24, 8}, down[] = {-8}, up[] = {8};
    char* block = shmem_calloc(10, 8);
    shmemx_put_strided(block, strides, other, rows, extents, 2, 8, right());
    shmem_barrier_all();
    shmemx_get_strided(data, up, block + 16, down, three, 1, 8, right());
    shmem_free(block);
}

CASE(indexed) {  // a list that names two blocks
    char* first = shmem_calloc(10, 8);
    char* second = shmem_calloc(10, 8);
    const shmemx_block_t dest[] = {{72, 8}, {second - first, 16}, {0, 0}}, source[] = {{0, 24}};
    shmemx_put_indexed(first, dest, 3, other, source, 1, right());
    shmem_barrier_all();
    shmem_free(second);
    shmem_free(first);
}

CASE(blocks_of_collectives) {  // the root alone has room for all
    long* one = shmem_calloc(4, 8);
    long* all = shmem_calloc(4 * (size_t)npes, 8);
    long* at_root = me == 0 ? all : one;
    set_lists(4);
    shmemx_gather(SHMEM_TEAM_WORLD, at_root, other, 4, 8, 0);
    shmemx_gatherv(SHMEM_TEAM_WORLD, at_root, counts, displs, other, 4, 8, 0);
    shmemx_scatter(SHMEM_TEAM_WORLD, other, at_root, 4, 8, 0);
    shmemx_scatterv(SHMEM_TEAM_WORLD, other, 4, at_root, counts, displs, 8, 0);
    shmemx_allgatherv(SHMEM_TEAM_WORLD, all, counts, displs, one, 8);
    shmemx_alltoallv(SHMEM_TEAM_WORLD, data, counts, displs, all, counts, displs, 8);
    shmemx_reduce_scatterv(SHMEM_TEAM_WORLD, one, all, counts, displs, SHMEMX_TYPE_INT64,
                           SHMEMX_OP_SUM);
    shmemx_allreduce(SHMEM_TEAM_WORLD, one, one, 2, SHMEMX_TYPE_INT32, SHMEMX_OP_MAXLOC);
    shmem_free(all);
    shmem_free(one);
}
