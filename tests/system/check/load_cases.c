// SPDX-License-Identifier: BSD-3-Clause
//
// Races of the program's own loads and stores, which the checker sees in programs that oshcc
// --check has compiled. The accesses of the lines marked A and B conflict, and nothing orders
// them. Cases whose names begin with ptr_ need PEs that map each other's memory.
#include <stdatomic.h>

#include "cases.h"

static long data[64];
static long other[64];
static long flag;
static volatile long seen;  // so that the loads are made
static uint64_t signal_word;
static long lock;

CASE(load_of_put) {
    if (me == 0) shmem_long_p(data, 1, 1);  // A
    if (me == 1) seen = data[0];            // B
}

CASE(store_and_put) {
    if (me == 0) shmem_long_put(data, other, 8, 1);  // A
    if (me == 1) data[3] = 1;                        // B
}

CASE(store_and_get) {
    if (me == 0) shmem_long_get(other, data, 8, 1);  // A
    if (me == 1) data[3] = 1;                        // B
}

CASE(polled_flag) {  // a plain load may stay in the loop's register, or never see the value
    if (me == 0) shmem_long_p(&flag, 1, 1);                                // A
    for (int i = 0; me == 1 && i < 100 && !*(volatile long*)&flag; ++i) {  // B
    }
}

CASE(nbi_source_stored) {
    if (me == 0) shmem_long_put_nbi(data, other, 8, 1);  // A
    if (me == 0) other[3] = 1;                           // B
}

CASE(nbi_source_in_private_memory) {
    long* source = calloc(8, sizeof *source);
    if (me == 0) shmem_long_put_nbi(data, source, 8, 1);  // A
    if (me == 0) source[7] = 1;                           // B
    shmem_quiet();
    free(source);
}

CASE(nbi_source_on_the_stack) {
    long source[4] = {1, 2, 3, 4};
    if (me == 0) shmem_long_put_nbi(data, source, 4, 1);  // A
    if (me == 0) source[me + 2] = 1;                      // B
    shmem_quiet();
}

CASE(nbi_dest_loaded) {
    if (me == 0) shmem_long_get_nbi(other, data, 8, 1);  // A
    if (me == 0) seen = other[7];                        // B
}

CASE(own_put_then_load) {
    if (me == 0) shmem_long_put(data, other, 8, 0);  // A
    if (me == 0) seen = data[2];                     // B
}

CASE(sync_is_no_barrier) {
    if (me == 0) shmem_long_put(data, other, 8, 1);  // A
    shmem_sync_all();
    if (me == 1) seen = data[0];  // B
}

CASE(flag_without_fence) {
    if (me == 0) shmem_long_put(data, other, 8, 1);  // A
    if (me == 0) shmem_long_p(&flag, 1, 1);
    if (me == 1) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    if (me == 1) seen = data[0];  // B
}

CASE(signal_not_waited_for) {
    if (me == 0) shmem_long_put_signal(data, other, 8, &signal_word, 1, SHMEM_SIGNAL_SET, 1);  // A
    if (me == 1) seen = data[4];                                                               // B
}

CASE(store_after_flag) {  // the PE stores once more behind the flag
    if (me == 0) data[0] = 1;
    if (me == 0) shmem_long_atomic_set(&flag, 1, 1);
    if (me == 0) data[0] = 2;  // A
    if (me == 1) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    if (me == 1) shmem_long_get(other, data, 1, 0);  // B
}

CASE(memcpy_of_put) {
    if (me == 0) shmem_long_p(&data[7], 1, 1);               // A
    if (me == 1) memcpy(other, data, (size_t)npes * 8 * 4);  // B
}

CASE(memset_under_get) {
    if (me == 0) shmem_long_get(other, data, 8, 1);  // A
    if (me == 1) memset(data, 0, 64);                // B
}

CASE(struct_copy) {
    static struct { long values[20]; } from, to;
    if (me == 0) shmem_long_p(&from.values[9], 1, 1);  // A
    if (me == 1) to = from;                            // B
    seen = to.values[0];
}

CASE(half_words) {  // the second int of a word; no PE writes the first
    static int pair[2];
    if (me == 0) shmem_int_p(&pair[1], 1, 1);  // A
    if (me == 1) seen = pair[1];               // B
}

CASE(atomic_and_store) {
    if (me == 0) shmem_long_atomic_inc(data, 1);  // A
    if (me == 1) data[0] = 0;                     // B
}

CASE(atomic_and_load) {
    if (me == 0) shmem_long_atomic_inc(data, 1);  // A
    if (me == 1) seen = data[0];                  // B
}

CASE(lock_on_one_side) {
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_long_p(data, 1, 1);  // A
        shmem_clear_lock(&lock);
    }
    if (me == 1) data[0] = 1;  // B
}

CASE(heap) {
    long* block = shmem_malloc(64);
    if (me == 0) shmem_long_p(&block[1], 1, 1);  // A
    if (me == 1) block[1] = 2;                   // B
    shmem_free(block);
}

CASE(ptr_store_and_store) {
    long* of_pe1 = shmem_ptr(data, 1);
    if (me == 0) of_pe1[2] = 1;  // A
    if (me == 1) data[2] = 2;    // B
}

CASE(ptr_load_and_store) {
    long* of_pe1 = shmem_ptr(data, 1);
    if (me == 0) seen = of_pe1[2];  // A
    if (me == 1) data[2] = 2;       // B
}

CASE(ptr_of_two) {
    long* of_pe0 = shmem_ptr(data, 0);
    long* of_pe1 = shmem_ptr(data, 1);
    if (me == 0) of_pe1[5] = 1;         // A
    if (me == npes - 1) of_pe1[5] = 2;  // B
    if (me == 1) seen = of_pe0[6];
}

CASE(ptr_of_heap) {
    long* block = shmem_malloc(64);
    long* of_pe1 = shmem_ptr(block, 1);
    if (me == 0) of_pe1[1] = 1;                           // A
    if (me == 1) shmem_long_put(other, &block[1], 1, 1);  // B
    shmem_free(block);
}

CASE(ptr_atomic_and_store) {  // an atomic of the language
    _Atomic long* of_pe1 = shmem_ptr(data, 1);
    if (me == 0) atomic_fetch_add(of_pe1, 1);  // A
    if (me == 1) data[0] = 2;                  // B
}

// ---- No races: memory that is no block, or none any more ----------------------------------------

CASE(store_after_free) {
    long* block = shmem_malloc(80);
    shmem_free(block);
    block[2] = 1;  // A
}

CASE(load_after_free) {
    long* block = shmem_calloc(10, 8);
    shmem_free(block);
    seen = block[2];  // A
}

CASE(store_past_block) {
    long* block = shmem_malloc(80);
    block[me + 10 - me] = 1;  // A
}

CASE(load_before_block) {
    long* block = shmem_malloc(80);
    seen = block[-1];  // A
}

CASE(ptr_store_past_block) {
    long* block = shmem_malloc(80);
    if (me == 0) ((long*)shmem_ptr(block, 1))[10] = 1;  // A
}
