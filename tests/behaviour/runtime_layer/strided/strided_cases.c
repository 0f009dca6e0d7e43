// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of strided_mistakes_test.py, one for each argument; PE 1 makes it. A mistake that
// goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/named_cases.h"

static long cells[16];  // symmetric
static long local[16];
static const size_t kExtents[] = {2, 4};
static const ptrdiff_t kStrides[] = {32, 8};
static const shmemx_block_t kWhole = {0, 64};

static void put(const ptrdiff_t* dest_strides, const ptrdiff_t* source_strides,
                const size_t* extents, int ndims, int pe) {
    shmemx_put_strided(cells, dest_strides, local, source_strides, extents, ndims, 8, pe);
}

CASE(bad_pe) { put(kStrides, kStrides, kExtents, 2, 77); }
CASE(bad_pe_empty) { put(kStrides, kStrides, kExtents, 2, -1); }
CASE(too_many_dimensions) {
    ptrdiff_t strides[16] = {0};
    size_t extents[16];
    for (int i = 0; i < 16; ++i) extents[i] = 1;
    put(strides, strides, extents, 16, 0);
}
CASE(negative_dimensions) { put(kStrides, kStrides, kExtents, -1, 0); }
CASE(null_extents) { put(kStrides, kStrides, NULL, 2, 0); }
CASE(null_dest_strides) { put(NULL, kStrides, kExtents, 2, 0); }
CASE(null_source_strides) { put(kStrides, NULL, kExtents, 1, 0); }
CASE(null_source) { shmemx_put_strided_nbi(cells, kStrides, NULL, kStrides, kExtents, 2, 8, 0); }
CASE(null_dest) { shmemx_get_strided(NULL, kStrides, cells, kStrides, kExtents, 2, 8, 0); }
CASE(zero_stride_of_dest) {
    const ptrdiff_t strides[] = {32, 0};
    put(strides, kStrides, kExtents, 2, 0);
}
CASE(small_stride_of_dest) {
    const ptrdiff_t strides[] = {-7, 64};
    shmemx_get_strided(local, strides, cells, kStrides, kExtents, 2, 8, 0);
}
CASE(wide_dest) {
    const ptrdiff_t strides[] = {PTRDIFF_MAX / 2, PTRDIFF_MAX / 2};
    put(strides, kStrides, kExtents, 2, 0);
}
CASE(wide_source) {
    const ptrdiff_t strides[] = {PTRDIFF_MIN, 8};
    put(kStrides, strides, kExtents, 2, 0);
}
CASE(past_the_end) {
    const ptrdiff_t strides[] = {(ptrdiff_t)1 << 40, 8};
    put(strides, kStrides, kExtents, 2, 0);
}
CASE(before_the_start) {
    const ptrdiff_t strides[] = {-((ptrdiff_t)1 << 40), 8};
    shmemx_get_strided(local, kStrides, cells, strides, kExtents, 2, 8, 0);
}
CASE(not_symmetric) {
    long here[8];
    shmemx_put_strided(here, kStrides, local, kStrides, kExtents, 2, 8, 0);
}
CASE(bad_context) {
    shmemx_ctx_get_strided(SHMEM_CTX_INVALID, local, kStrides, cells, kStrides, kExtents, 2, 8, 0);
}
CASE(other_bytes) {
    const shmemx_block_t less = {0, 56};
    shmemx_put_indexed(cells, &kWhole, 1, local, &less, 1, 0);
}
CASE(null_list) { shmemx_get_indexed(local, &kWhole, 1, cells, NULL, 1, 0); }
CASE(null_dest_list) { shmemx_put_indexed(cells, NULL, 1, local, &kWhole, 1, 0); }
CASE(list_bad_pe) { shmemx_put_indexed(cells, NULL, 0, local, NULL, 0, 9); }
CASE(list_of_too_many_bytes) {
    const shmemx_block_t blocks[] = {{0, 8}, {PTRDIFF_MAX, 8}};
    shmemx_put_indexed(cells, blocks, 2, local, &kWhole, 1, 0);
}
CASE(list_past_the_end) {
    const shmemx_block_t far[] = {{(ptrdiff_t)1 << 40, 64}};
    shmemx_get_indexed(local, &kWhole, 1, cells, far, 1, 0);
}
CASE(list_null_source) { shmemx_put_indexed(cells, &kWhole, 1, NULL, &kWhole, 1, 0); }

static void signal_with(uint64_t* sig_addr, int sig_op, int pe) {
    shmemx_put_strided_signal(cells, kStrides, local, kStrides, kExtents, 2, 8, sig_addr, 1, sig_op,
                              pe);
}
static uint64_t word;  // symmetric
CASE(signal_bad_op) { signal_with(&word, 5, 0); }
CASE(signal_bad_pe) { signal_with(&word, SHMEM_SIGNAL_SET, 2); }
CASE(signal_not_symmetric) {
    uint64_t here = 0;
    signal_with(&here, SHMEM_SIGNAL_SET, 0);
}
CASE(signal_not_aligned) { signal_with((uint64_t*)((char*)cells + 4), SHMEM_SIGNAL_ADD, 0); }
CASE(signal_of_overlaps) {
    const ptrdiff_t strides[] = {32, 0};
    shmemx_put_strided_signal_nbi(cells, strides, local, kStrides, kExtents, 2, 8, &word, 1,
                                  SHMEM_SIGNAL_SET, 0);
}
CASE(signal_of_list_bad_op) {
    shmemx_put_indexed_signal(cells, &kWhole, 1, local, &kWhole, 1, &word, 1, -1, 0);
}
CASE(signal_of_list_bad_context) {
    shmemx_ctx_put_indexed_signal_nbi(SHMEM_CTX_INVALID, cells, &kWhole, 1, local, &kWhole, 1,
                                      &word, 1, SHMEM_SIGNAL_SET, 0);
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "early") == 0) put(kStrides, kStrides, kExtents, 2, 0);
    shmem_init();
    if (argc == 2 && shmem_my_pe() == 1) run_case(argv[1]);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
