// SPDX-License-Identifier: BSD-3-Clause
//
// Misuse of shmemx.h: of team and local memory, and of transfers and collectives with a shape.
#include <shmemx.h>

#include "cases.h"

enum { PES_MAX = 8 };

static long flags[64];
static size_t counts[PES_MAX], displs[PES_MAX];
static int right(void) { return (me + 1) % npes; }

// Blocks of `count` elements, one behind the other.
static void set_lists(size_t count) {
    for (int i = 0; i < npes; i++) {
        counts[i] = count;
        displs[i] = count * (size_t)i;
    }
}

// ---- Team memory --------------------------------------------------------------------------------

CASE(team_put_after_free) {
    long value = 1;
    long* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 80);
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
    shmem_long_put(block + 2, &value, 1, right());
}

CASE(team_source_after_free) {
    long* block = shmemx_team_calloc(SHMEM_TEAM_WORLD, 10, 8);
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
    shmem_long_put(flags, block, 2, right());
}

CASE(team_get_after_destroy) {
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    long* block = shmemx_team_malloc(team, 80);
    shmem_team_destroy(team);
    shmem_long_get(flags, block, 1, right());
}

CASE(team_double_free) {
    long* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 80);
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
    shmemx_team_free(SHMEM_TEAM_WORLD, block);
}

CASE(team_free_inside) {
    long* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 80);
    shmemx_team_free(SHMEM_TEAM_WORLD, block + 1);
}

CASE(team_put_past_block) {
    long values[11] = {0};
    long* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 80);
    shmem_long_put(block, values, 11, right());
}

CASE(team_store_past_block) {
    volatile char* block = shmemx_team_calloc(SHMEM_TEAM_WORLD, 10, 8);
    block[80] = 1;
    shmem_barrier_all();
}

CASE(team_store_before_aligned) {
    volatile char* block = shmemx_team_align(SHMEM_TEAM_WORLD, 256, 80);
    block[-3] = 1;
    shmemx_team_free(SHMEM_TEAM_WORLD, (void*)block);
}

CASE(team_put_in_no_block) {
    long* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 64);
    shmem_long_p(block + 100, 1, right());
}

// The other PEs, one of which is no member of the team, get the pointer to PE 0's block.
static shmemx_gptr_t block_of_pe_0(int is_local) {
    static shmemx_gptr_t gptr;
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes - 1, NULL, 0, &team);
    void* block = NULL;
    if (is_local && me == 0) block = shmemx_local_malloc(64);
    if (!is_local && me < npes - 1) block = shmemx_team_malloc(team, 64);
    if (me == 0) gptr = shmemx_gptr_of(block, 0);
    shmem_barrier_all();
    return shmem_uint64_g(&gptr, 0);
}

CASE(team_put_by_a_stranger) {
    long* block = shmemx_gptr_addr(block_of_pe_0(0));
    if (me == npes - 1) shmem_long_p(block + 100, 1, 0);
}

CASE(team_put_by_a_stranger_past_block) {
    long values[9] = {0};
    long* block = shmemx_gptr_addr(block_of_pe_0(0));
    if (me == npes - 1) shmem_long_put(block, values, 9, 0);
}

CASE(team_left) {
    long* block = shmemx_team_malloc(SHMEM_TEAM_WORLD, 80);
    *block = 1;
}

// ---- Local memory -------------------------------------------------------------------------------

CASE(local_source_after_free) {
    long* block = shmemx_local_malloc(80);
    shmemx_local_free(block);
    shmem_long_put(flags, block, 2, right());
}

CASE(local_double_free) {
    long* block = shmemx_local_malloc(80);
    shmemx_local_free(block);
    shmemx_local_free(block);
}

CASE(local_get_past_block) {
    long* block = shmemx_local_malloc(80);
    shmem_long_get(block, flags, 11, right());
}

CASE(local_store_past_block) {
    volatile char* block = shmemx_local_calloc(10, 8);
    block[81] = 1;
    shmemx_local_free((void*)block);
}

CASE(local_store_before_block) {
    volatile char* block = shmemx_local_malloc(80);
    block[-1] = 1;
}

CASE(local_store_past_realloc) {
    volatile char* block = shmemx_local_realloc(shmemx_local_malloc(10), 20);
    block[20] = 1;
    shmemx_local_free((void*)block);
}

CASE(local_source_in_no_block) {
    long* block = shmemx_local_malloc(64);
    shmem_long_put(flags, block + 100, 2, right());
}

CASE(local_put_in_no_block) {
    long* block = shmemx_gptr_addr(block_of_pe_0(1));
    if (me == 1) shmem_long_p(block + 100, 1, 0);
}

CASE(local_put_past_block) {
    long values[9] = {0};
    long* block = shmemx_gptr_addr(block_of_pe_0(1));
    if (me == 1) shmem_long_put(block, values, 9, 0);
}

CASE(local_left) {
    if (me == 1) *(long*)shmemx_local_malloc(80) = 1;
}

// ---- Shapes -------------------------------------------------------------------------------------

CASE(strided_past_block) {  // the second row ends behind the block
    const size_t extents[] = {2, 3};
    const ptrdiff_t strides[] = {64, 8}, rows[] = {24, 8};
    char* block = shmem_calloc(10, 8);
    shmemx_put_strided(block, strides, flags, rows, extents, 2, 8, right());
}

CASE(strided_before_block) {  // downwards
    const size_t extents[] = {3};
    const ptrdiff_t down[] = {-8}, up[] = {8};
    char* block = shmem_calloc(10, 8);
    shmemx_get_strided(flags, up, block + 8, down, extents, 1, 8, right());
}

CASE(indexed_past_block) {  // the last block of the list
    const shmemx_block_t dest[] = {{0, 16}, {40, 8}, {72, 16}}, source[] = {{0, 40}};
    char* block = shmem_calloc(10, 8);
    shmemx_put_indexed(block, dest, 3, flags, source, 1, right());
}

CASE(indexed_source_past_block) {
    const shmemx_block_t dest[] = {{0, 24}}, source[] = {{-8, 8}, {0, 16}};
    char* block = shmemx_local_malloc(80);
    shmemx_put_indexed(flags, dest, 1, block, source, 2, right());
}

// ---- Collectives --------------------------------------------------------------------------------

CASE(gather_past_block) {  // on the root only
    long* block = shmem_calloc(10, 8);
    shmemx_gather(SHMEM_TEAM_WORLD, block, flags, 5, 8, 1);
}

CASE(gatherv_past_block) {
    set_lists(4);
    long* block = shmem_calloc(10, 8);
    shmemx_gatherv(SHMEM_TEAM_WORLD, block, counts, displs, flags, 4, 8, 0);
}

CASE(scatterv_past_block) {
    set_lists(4);
    long* block = shmem_calloc(10, 8);
    shmemx_scatterv(SHMEM_TEAM_WORLD, flags, 4, block, counts, displs, 8, 0);
}

CASE(allgatherv_past_block) {
    set_lists(4);
    long* block = shmem_calloc(10, 8);
    shmemx_allgatherv(SHMEM_TEAM_WORLD, block, counts, displs, flags, 8);
}

CASE(alltoallv_past_block) {
    set_lists(4);
    long* block = shmem_calloc(10, 8);
    shmemx_alltoallv(SHMEM_TEAM_WORLD, flags, counts, displs, block, counts, displs, 8);
}

CASE(reduce_scatterv_past_block) {
    set_lists(4);
    long* block = shmem_calloc(10, 8);
    shmemx_reduce_scatterv(SHMEM_TEAM_WORLD, flags, block, counts, displs, SHMEMX_TYPE_INT64,
                           SHMEMX_OP_SUM);
}

CASE(allreduce_past_block) {  // a value and its location are 16 bytes
    long* block = shmem_calloc(10, 8);
    shmemx_allreduce(SHMEM_TEAM_WORLD, flags, block, 6, SHMEMX_TYPE_INT32, SHMEMX_OP_MAXLOC);
}

CASE(ibroadcast_past_block) {
    shmemx_req_t request;
    long* block = shmem_calloc(10, 8);
    shmemx_ibroadcast(SHMEM_TEAM_WORLD, block, flags, 11, 8, 0, &request);
    shmemx_req_wait(&request, SHMEMX_LOCAL);
}
