// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of strided_mistakes_test.py, one for each argument; PE 1 makes it. A mistake that
// goes unnoticed ends with code 0.
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static long cells[16];  // symmetric
static long local[16];
static const size_t kExtents[] = {2, 4};
static const ptrdiff_t kStrides[] = {32, 8};
static const shmemx_block_t kWhole = {0, 64};

static void put(const ptrdiff_t* dest_strides, const ptrdiff_t* source_strides,
                const size_t* extents, int ndims, int pe) {
    shmemx_put_strided(cells, dest_strides, local, source_strides, extents, ndims, 8, pe);
}

static void bad_pe(void) { put(kStrides, kStrides, kExtents, 2, 77); }
static void bad_pe_empty(void) { put(kStrides, kStrides, kExtents, 2, -1); }
static void too_many_dimensions(void) {
    ptrdiff_t strides[16] = {0};
    size_t extents[16];
    for (int i = 0; i < 16; ++i) extents[i] = 1;
    put(strides, strides, extents, 16, 0);
}
static void negative_dimensions(void) { put(kStrides, kStrides, kExtents, -1, 0); }
static void null_extents(void) { put(kStrides, kStrides, NULL, 2, 0); }
static void null_dest_strides(void) { put(NULL, kStrides, kExtents, 2, 0); }
static void null_source_strides(void) { put(kStrides, NULL, kExtents, 1, 0); }
static void null_source(void) {
    shmemx_put_strided_nbi(cells, kStrides, NULL, kStrides, kExtents, 2, 8, 0);
}
static void null_dest(void) {
    shmemx_get_strided(NULL, kStrides, cells, kStrides, kExtents, 2, 8, 0);
}
static void zero_stride_of_dest(void) {
    const ptrdiff_t strides[] = {32, 0};
    put(strides, kStrides, kExtents, 2, 0);
}
static void small_stride_of_dest(void) {
    const ptrdiff_t strides[] = {-7, 64};
    shmemx_get_strided(local, strides, cells, kStrides, kExtents, 2, 8, 0);
}
static void wide_dest(void) {
    const ptrdiff_t strides[] = {PTRDIFF_MAX / 2, PTRDIFF_MAX / 2};
    put(strides, kStrides, kExtents, 2, 0);
}
static void wide_source(void) {
    const ptrdiff_t strides[] = {PTRDIFF_MIN, 8};
    put(kStrides, strides, kExtents, 2, 0);
}
static void past_the_end(void) {
    const ptrdiff_t strides[] = {(ptrdiff_t)1 << 40, 8};
    put(strides, kStrides, kExtents, 2, 0);
}
static void before_the_start(void) {
    const ptrdiff_t strides[] = {-((ptrdiff_t)1 << 40), 8};
    shmemx_get_strided(local, kStrides, cells, strides, kExtents, 2, 8, 0);
}
static void not_symmetric(void) {
    long here[8];
    shmemx_put_strided(here, kStrides, local, kStrides, kExtents, 2, 8, 0);
}
static void bad_context(void) {
    shmemx_ctx_get_strided(SHMEM_CTX_INVALID, local, kStrides, cells, kStrides, kExtents, 2, 8, 0);
}
static void other_bytes(void) {
    const shmemx_block_t less = {0, 56};
    shmemx_put_indexed(cells, &kWhole, 1, local, &less, 1, 0);
}
static void null_list(void) { shmemx_get_indexed(local, &kWhole, 1, cells, NULL, 1, 0); }
static void null_dest_list(void) { shmemx_put_indexed(cells, NULL, 1, local, &kWhole, 1, 0); }
static void list_bad_pe(void) { shmemx_put_indexed(cells, NULL, 0, local, NULL, 0, 9); }
static void list_of_too_many_bytes(void) {
    const shmemx_block_t blocks[] = {{0, 8}, {PTRDIFF_MAX, 8}};
    shmemx_put_indexed(cells, blocks, 2, local, &kWhole, 1, 0);
}
static void list_past_the_end(void) {
    const shmemx_block_t far[] = {{(ptrdiff_t)1 << 40, 64}};
    shmemx_get_indexed(local, &kWhole, 1, cells, far, 1, 0);
}
static void list_null_source(void) { shmemx_put_indexed(cells, &kWhole, 1, NULL, &kWhole, 1, 0); }

#define CASE(NAME) \
    { #NAME, NAME }
static const struct {
    const char* name;
    void (*run)(void);
} kCases[] = {CASE(bad_pe),
              CASE(bad_pe_empty),
              CASE(too_many_dimensions),
              CASE(negative_dimensions),
              CASE(null_extents),
              CASE(null_dest_strides),
              CASE(null_source_strides),
              CASE(null_source),
              CASE(null_dest),
              CASE(zero_stride_of_dest),
              CASE(small_stride_of_dest),
              CASE(wide_dest),
              CASE(wide_source),
              CASE(past_the_end),
              CASE(before_the_start),
              CASE(not_symmetric),
              CASE(bad_context),
              CASE(other_bytes),
              CASE(null_list),
              CASE(null_dest_list),
              CASE(list_bad_pe),
              CASE(list_of_too_many_bytes),
              CASE(list_past_the_end),
              CASE(list_null_source)};

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "early") == 0) put(kStrides, kStrides, kExtents, 2, 0);
    shmem_init();
    for (size_t i = 0; argc == 2 && i < sizeof kCases / sizeof *kCases; ++i) {
        if (strcmp(argv[1], kCases[i].name) == 0 && shmem_my_pe() == 1) kCases[i].run();
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
