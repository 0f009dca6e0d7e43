// SPDX-License-Identifier: BSD-3-Clause
//
// The routines of OpenSHMEM 1.5 and 1.6 that the programs of bench/micro and bench/apps use, for
// libraries of 1.4 as well, and strided transfers and requests of Tessera's shmemx.h. Ask
// kHasSignals, kHasBlocks, kHasSessions, has_sections() and has_requests() first. Included behind
// measure.h, or another give_up().
#pragma once

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
enum { kHasSignals = 1 };

static inline void put_with_signal(void* dest, const void* source, size_t bytes, long* flag,
                                   long number, int pe) {
    shmem_putmem_signal(dest, source, bytes, (uint64_t*)(void*)flag, (uint64_t)number,
                        SHMEM_SIGNAL_SET, pe);
}
static inline void put_and_add_signal(void* dest, const void* source, size_t bytes, long* flag,
                                      long number, int pe) {
    shmem_putmem_signal(dest, source, bytes, (uint64_t*)(void*)flag, (uint64_t)number,
                        SHMEM_SIGNAL_ADD, pe);
}
static inline void await_signal(long* flag, long number) {
    shmem_signal_wait_until((uint64_t*)(void*)flag, SHMEM_CMP_GE, (uint64_t)number);
}
#else
enum { kHasSignals = 0 };

static inline void put_with_signal(void* dest, const void* source, size_t bytes, long* flag,
                                   long number, int pe) {
    (void)dest, (void)source, (void)flag;
    give_up("no signal %ld with %zu bytes for PE %d before OpenSHMEM 1.5", number, bytes, pe);
}
static inline void put_and_add_signal(void* dest, const void* source, size_t bytes, long* flag,
                                      long number, int pe) {
    put_with_signal(dest, source, bytes, flag, number, pe);
}
static inline void await_signal(long* flag, long number) {
    (void)flag;
    give_up("no signal %ld before OpenSHMEM 1.5", number);
}
#endif

// Blocks of `nwords` 64-bit words; the strides are in words.
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 6
enum { kHasBlocks = 1, kHasSessions = 1 };

// The library may hold back the following operations on the context, up to its next quiet.
static inline void start_batch(shmem_ctx_t ctx) {
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
}
static inline void stop_batch(shmem_ctx_t ctx) { shmem_ctx_session_stop(ctx); }

static inline void put_strided_blocks(void* dest, const void* source, ptrdiff_t dest_stride,
                                      size_t nwords, size_t blocks, int pe) {
    shmem_ibput64(dest, source, dest_stride, (ptrdiff_t)nwords, nwords, blocks, pe);
}
static inline void get_strided_blocks(void* dest, const void* source, ptrdiff_t source_stride,
                                      size_t nwords, size_t blocks, int pe) {
    shmem_ibget64(dest, source, (ptrdiff_t)nwords, source_stride, nwords, blocks, pe);
}
#else
enum { kHasBlocks = 0, kHasSessions = 0 };

static inline void start_batch(shmem_ctx_t ctx) {
    (void)ctx;
    give_up("no sessions before OpenSHMEM 1.6");
}
static inline void stop_batch(shmem_ctx_t ctx) { (void)ctx; }

static inline void put_strided_blocks(void* dest, const void* source, ptrdiff_t dest_stride,
                                      size_t nwords, size_t blocks, int pe) {
    (void)dest, (void)source, (void)dest_stride;
    give_up("no %zu blocks of %zu words for PE %d before OpenSHMEM 1.6", blocks, nwords, pe);
}
static inline void get_strided_blocks(void* dest, const void* source, ptrdiff_t source_stride,
                                      size_t nwords, size_t blocks, int pe) {
    put_strided_blocks(dest, source, source_stride, nwords, blocks, pe);
}
#endif

// Two-dimensional sections of doubles; the strides are in bytes.
#if __has_include(<shmemx/strided.h>)
#include <shmemx.h>

static inline int has_sections(void) { return 1; }

static inline void put_section(void* dest, const ptrdiff_t* dest_strides, const void* source,
                               const ptrdiff_t* source_strides, const size_t* extents, int pe) {
    shmemx_put_strided(dest, dest_strides, source, source_strides, extents, 2, 8, pe);
}
static inline void get_section(void* dest, const ptrdiff_t* dest_strides, const void* source,
                               const ptrdiff_t* source_strides, const size_t* extents, int pe) {
    shmemx_get_strided(dest, dest_strides, source, source_strides, extents, 2, 8, pe);
}

static inline int has_requests(void) { return 1; }

static shmemx_req_t newer_request;
static inline void put_with_request(void* dest, const void* source, size_t bytes, int pe) {
    shmemx_putmem_req(dest, source, bytes, pe, &newer_request);
}
static inline void await_request(void) { shmemx_req_wait(&newer_request, SHMEMX_REMOTE); }
#else
static inline int has_requests(void) { return 0; }

static inline void put_with_request(void* dest, const void* source, size_t bytes, int pe) {
    (void)dest, (void)source;
    give_up("no request for %zu bytes to PE %d", bytes, pe);
}
static inline void await_request(void) {}

static inline int has_sections(void) { return 0; }

static inline void put_section(void* dest, const ptrdiff_t* dest_strides, const void* source,
                               const ptrdiff_t* source_strides, const size_t* extents, int pe) {
    (void)dest, (void)dest_strides, (void)source, (void)source_strides, (void)extents;
    give_up("no strided transfers in several dimensions to PE %d", pe);
}
static inline void get_section(void* dest, const ptrdiff_t* dest_strides, const void* source,
                               const ptrdiff_t* source_strides, const size_t* extents, int pe) {
    put_section(dest, dest_strides, source, source_strides, extents, pe);
}
#endif
