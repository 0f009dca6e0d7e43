// SPDX-License-Identifier: BSD-3-Clause
//
// Misuse of symmetric memory.
#include "cases.h"

static long flags[8];
static char text[16];
static long neighbour(void) { return (me + 1) % npes; }
static int right(void) { return (int)neighbour(); }

CASE(put_after_free) {
    long value = 1;
    long* block = shmem_malloc(80);
    shmem_free(block);
    shmem_long_put(block, &value, 1, right());
}

CASE(get_after_free) {
    long value;
    long* block = shmem_malloc(80);
    shmem_free(block);
    shmem_long_get(&value, block + 2, 1, right());
}

CASE(atomic_after_free) {
    long* block = shmem_calloc(10, 8);
    shmem_free(block);
    shmem_long_atomic_inc(block, right());
}

CASE(wait_after_free) {
    long* block = shmem_calloc(10, 8);
    shmem_free(block);
    shmem_long_wait_until(block, SHMEM_CMP_EQ, 0);
}

CASE(source_after_free) {
    long* block = shmem_calloc(10, 8);
    shmem_free(block);
    shmem_long_put(flags, block, 2, right());
}

CASE(collective_after_free) {
    long* block = shmem_calloc(10, 8);
    shmem_free(block);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, flags, block, 2);
}

CASE(use_after_realloc) {
    long* block = shmem_malloc(80);
    long* barrier = shmem_malloc(80);  // so that the block moves
    long* larger = shmem_realloc(block, 1 << 20);
    if (larger != block) shmem_long_p(block, 1, right());
    shmem_free(barrier);
}

CASE(double_free) {
    long* block = shmem_malloc(80);
    shmem_free(block);
    shmem_free(block);
}

CASE(free_inside) {
    long* block = shmem_malloc(80);
    shmem_free(block + 1);
}

CASE(realloc_inside) {
    long* block = shmem_malloc(80);
    shmem_realloc(block + 1, 100);
}

CASE(put_past_block) {
    long values[11] = {0};
    long* block = shmem_malloc(80);
    shmem_long_put(block, values, 11, right());
}

CASE(get_past_block) {
    long values[11];
    long* block = shmem_malloc(80);
    shmem_long_get(values, block, 11, right());
}

CASE(p_behind_block) {
    long* block = shmem_malloc(80);
    shmem_long_p(block + 10, 1, right());
}

CASE(p_before_block) {
    long* block = shmem_malloc(80);
    shmem_long_p(block - 1, 1, right());
}

CASE(iput_past_block) {
    long values[4] = {0};
    long* block = shmem_malloc(80);
    shmem_long_iput(block, values, 4, 1, 4, right());
}

CASE(signal_past_block) {
    long value = 0;
    uint64_t* block = shmem_calloc(10, 8);
    shmem_long_put_signal(flags, &value, 1, block + 10, 1, SHMEM_SIGNAL_SET, right());
}

CASE(fcollect_past_block) {
    long* block = shmem_malloc(8 * (size_t)npes);
    shmem_long_fcollect(SHMEM_TEAM_WORLD, block, flags, 2);
}

// In no block, and far from any.
CASE(put_in_no_block) {
    long* block = shmem_malloc(64);
    shmem_long_p(block + 100, 1, right());
}

CASE(get_in_no_block) {
    long value;
    long* block = shmem_malloc(64);
    shmem_long_get(&value, block + 1000 * 1000, 1, right());
}

CASE(source_in_no_block) {
    long* block = shmem_malloc(64);
    shmem_long_put(flags, block + 100, 2, right());
}

CASE(atomic_in_no_block) {
    long* block = shmem_malloc(64);
    shmem_long_atomic_inc(block + 100, right());
}

CASE(collective_in_no_block) {
    long* block = shmem_malloc(64);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block + 100, flags, 2);
}

// Before the first live block.
CASE(put_before_all_blocks) {
    char* freed = shmem_malloc(64);
    char* block = shmem_align(1 << 20, 64);
    shmem_free(freed);
    shmem_putmem(block - 4096, text, 8, right());
}

CASE(store_past_block) {
    volatile char* block = shmem_malloc(80);
    block[80] = 1;
    shmem_barrier_all();
}

CASE(store_before_block) {
    volatile char* block = shmem_malloc(80);
    block[-1] = 1;
    shmem_free((void*)block);
}

CASE(remote_store_past_block) {
    char* block = shmem_malloc(80);
    char* its = shmem_ptr(block, right());
    if (its != NULL) {
        its[85] = 1;
    } else {
        block[85] = 1;
    }
    shmem_sync_all();
    shmem_barrier_all();
}

CASE(store_past_aligned) {
    volatile char* block = shmem_align(256, 100);
    block[100] = 1;
}

CASE(store_past_realloc) {
    volatile char* block = shmem_realloc(shmem_malloc(10), 20);
    block[20] = 1;
    shmem_barrier_all();
}

CASE(past_static) {
    long values[9] = {0};
    const int pe = right();
    shmem_sync_all();  // the ninth value may overwrite the variable `me`, which right() reads
    shmem_long_put(flags, values, 9, pe);
}

CASE(overlap_on_self) { shmem_putmem(text + 2, text, 8, me); }

CASE(overlap_of_reduce) {
    long* block = shmem_calloc(20, 8);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block + 1, block, 4);
}

CASE(overlap_of_signal) {
    long values[4] = {0};
    shmem_long_put_signal(flags, values, 4, (uint64_t*)(flags + 3), 1, SHMEM_SIGNAL_SET, right());
}

CASE(overlap_of_broadcast) { shmem_long_broadcast(SHMEM_TEAM_WORLD, flags + 1, flags, 4, 0); }

CASE(overlap_of_fetch) { shmem_long_atomic_fetch_inc_nbi(flags, flags, me); }

CASE(leaked_block) {
    long* block = shmem_malloc(80);
    *block = 1;
}
