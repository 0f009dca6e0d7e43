// SPDX-License-Identifier: BSD-3-Clause
//
// Remote memory access (OpenSHMEM 1.6, 9.6): copies between the calling PE and another one that
// takes no part in them. Part of <shmem.h>.
//
// Common to all routines here. The remote side (dest of a put, source of a get) is a symmetric
// address, given as the calling PE's own address of the object; the local side is any memory. The
// two may not overlap. A count of 0 does nothing, and pointers may then be NULL. A PE number counts
// within the context's team; without a context within all PEs. A nonblocking (_nbi) routine uses
// its buffers until shmem_quiet on its context.
//
// ERRORS, for all: a PE number out of range, NULL for the local side, or a remote range that is not
// inside one segment of symmetric memory, ends the job with a message. THREADS, for all: as the
// thread level and the context's options allow.

#ifndef SHMEM_INTERNAL_RMA_H
#define SHMEM_INTERNAL_RMA_H

#include "contexts.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies nelems consecutive elements to another PE.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe, aligned for its type.
 * source     local address.
 * nelems     number of elements: of TYPE, of SIZE bits (putSIZE), or bytes (putmem).
 * pe         target.
 *
 * RETURNS when: source may be reused. Delivered by shmem_quiet, in any order before it.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.6, shmem_put.
 */
// shmem_TYPENAME_put, shmem_ctx_TYPENAME_put
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                           \
    void shmem_##NAME##_put(T* dest, const T* source, size_t nelems, int pe)                      \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    void shmem_ctx_##NAME##_put(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, int pe) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_putSIZE, shmem_ctx_putSIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                  \
    void shmem_put##BITS(void* dest, const void* source, size_t nelems, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                              \
    void shmem_ctx_put##BITS(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, \
                             int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmem_putmem(void* dest, const void* source, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_putmem(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                      int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Writes one value to another PE.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address of one element on pe.
 * value      the value.
 * pe         target.
 *
 * RETURNS when: at once. Delivered by shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.6, shmem_p.
 */
// shmem_TYPENAME_p, shmem_ctx_TYPENAME_p
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                     \
    void shmem_##NAME##_p(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmem_ctx_##NAME##_p(shmem_ctx_t ctx, T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Copies elements with strides to another PE: element i goes from source[i * sst] to dest[i * dst].
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe.
 * source     local address.
 * dst, sst   strides in dest and source, in elements, at least 1.
 * nelems     number of elements of TYPE, or of SIZE bits (iputSIZE).
 * pe         target.
 *
 * RETURNS when: source may be reused. Delivered by shmem_quiet, in any order before it.
 * ERRORS, THREADS: see the top of this file; also a stride below 1.
 * OpenSHMEM 1.6, 9.6, shmem_iput.
 */
// shmem_TYPENAME_iput, shmem_ctx_TYPENAME_iput
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                    \
    void shmem_##NAME##_iput(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                             size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;                \
    void shmem_ctx_##NAME##_iput(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, \
                                 ptrdiff_t sst, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_iputSIZE, shmem_ctx_iputSIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                   \
    void shmem_iput##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,       \
                          size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;                      \
    void shmem_ctx_iput##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, \
                              ptrdiff_t sst, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Copies blocks with strides to another PE: block i, bsize consecutive elements, goes from
 * source + i * sst to dest + i * dst.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe.
 * source     local address.
 * dst, sst   strides in dest and source, in elements, at least bsize.
 * bsize      elements of TYPE, or of SIZE bits (ibputSIZE), in a block.
 * nblocks    number of blocks.
 * pe         target.
 *
 * RETURNS when: source may be reused. Delivered by shmem_quiet, in any order before it.
 * ERRORS, THREADS: see the top of this file; also a stride below bsize.
 * OpenSHMEM 1.6, 9.6, shmem_ibput.
 */
// shmem_TYPENAME_ibput, shmem_ctx_TYPENAME_ibput
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                     \
    void shmem_##NAME##_ibput(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                              size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmem_ctx_##NAME##_ibput(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, \
                                  ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)      \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_ibputSIZE, shmem_ctx_ibputSIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                    \
    void shmem_ibput##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,       \
                           size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW;       \
    void shmem_ctx_ibput##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, \
                               ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)            \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Copies nelems consecutive elements from another PE.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       local address.
 * source     symmetric address on pe, aligned for its type.
 * nelems     number of elements: of TYPE, of SIZE bits (getSIZE), or bytes (getmem).
 * pe         where source is read.
 *
 * RETURNS when: dest holds the data.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.6, shmem_get.
 */
// shmem_TYPENAME_get, shmem_ctx_TYPENAME_get
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                           \
    void shmem_##NAME##_get(T* dest, const T* source, size_t nelems, int pe)                      \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    void shmem_ctx_##NAME##_get(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, int pe) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_getSIZE, shmem_ctx_getSIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                  \
    void shmem_get##BITS(void* dest, const void* source, size_t nelems, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                              \
    void shmem_ctx_get##BITS(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, \
                             int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmem_getmem(void* dest, const void* source, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_getmem(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                      int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Reads one value from another PE.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * source     symmetric address of one element on pe.
 * pe         where source is read.
 *
 * RETURNS when: the value has arrived; the value.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.6, shmem_g.
 */
// shmem_TYPENAME_g, shmem_ctx_TYPENAME_g
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                 \
    T shmem_##NAME##_g(const T* source, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_ctx_##NAME##_g(shmem_ctx_t ctx, const T* source, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Copies elements with strides from another PE: element i goes from source[i * sst] to
 * dest[i * dst].
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       local address.
 * source     symmetric address on pe.
 * dst, sst   strides in dest and source, in elements, at least 1.
 * nelems     number of elements of TYPE, or of SIZE bits (igetSIZE).
 * pe         where source is read.
 *
 * RETURNS when: dest holds the data.
 * ERRORS, THREADS: see the top of this file; also a stride below 1.
 * OpenSHMEM 1.6, 9.6, shmem_iget.
 */
// shmem_TYPENAME_iget, shmem_ctx_TYPENAME_iget
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                    \
    void shmem_##NAME##_iget(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                             size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;                \
    void shmem_ctx_##NAME##_iget(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, \
                                 ptrdiff_t sst, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_igetSIZE, shmem_ctx_igetSIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                   \
    void shmem_iget##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,       \
                          size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;                      \
    void shmem_ctx_iget##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, \
                              ptrdiff_t sst, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Copies blocks with strides from another PE: block i, bsize consecutive elements, goes from
 * source + i * sst to dest + i * dst.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       local address.
 * source     symmetric address on pe.
 * dst, sst   strides in dest and source, in elements, at least bsize.
 * bsize      elements of TYPE, or of SIZE bits (ibgetSIZE), in a block.
 * nblocks    number of blocks.
 * pe         where source is read.
 *
 * RETURNS when: dest holds the data.
 * ERRORS, THREADS: see the top of this file; also a stride below bsize.
 * OpenSHMEM 1.6, 9.6, shmem_ibget.
 */
// shmem_TYPENAME_ibget, shmem_ctx_TYPENAME_ibget
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                     \
    void shmem_##NAME##_ibget(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                              size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmem_ctx_##NAME##_ibget(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, \
                                  ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)      \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_ibgetSIZE, shmem_ctx_ibgetSIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                    \
    void shmem_ibget##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,       \
                           size_t bsize, size_t nblocks, int pe) SHMEM_INTERNAL_NOTHROW;       \
    void shmem_ctx_ibget##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, \
                               ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)            \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Starts to copy nelems consecutive elements to another PE.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe, aligned for its type.
 * source     local address; may not change before shmem_quiet.
 * nelems     number of elements: of TYPE, of SIZE bits (putSIZE_nbi), or bytes (putmem_nbi).
 * pe         target.
 *
 * RETURNS when: at once. Source reusable and delivered by shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.6, shmem_put_nbi.
 */
// shmem_TYPENAME_put_nbi, shmem_ctx_TYPENAME_put_nbi
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                       \
    void shmem_##NAME##_put_nbi(T* dest, const T* source, size_t nelems, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                               \
    void shmem_ctx_##NAME##_put_nbi(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, \
                                    int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_putSIZE_nbi, shmem_ctx_putSIZE_nbi
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                        \
    void shmem_put##BITS##_nbi(void* dest, const void* source, size_t nelems, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                                    \
    void shmem_ctx_put##BITS##_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, \
                                   int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_putmem_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                          int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Starts to copy nelems consecutive elements from another PE.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       local address; not to be touched before shmem_quiet.
 * source     symmetric address on pe, aligned for its type.
 * nelems     number of elements: of TYPE, of SIZE bits (getSIZE_nbi), or bytes (getmem_nbi).
 * pe         where source is read.
 *
 * RETURNS when: at once. dest holds the data after shmem_quiet; shmem_fence does not order it.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.6, shmem_get_nbi.
 */
// shmem_TYPENAME_get_nbi, shmem_ctx_TYPENAME_get_nbi
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                       \
    void shmem_##NAME##_get_nbi(T* dest, const T* source, size_t nelems, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                               \
    void shmem_ctx_##NAME##_get_nbi(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, \
                                    int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_getSIZE_nbi, shmem_ctx_getSIZE_nbi
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                        \
    void shmem_get##BITS##_nbi(void* dest, const void* source, size_t nelems, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                                    \
    void shmem_ctx_get##BITS##_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, \
                                   int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

void shmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe) SHMEM_INTERNAL_NOTHROW;
void shmem_ctx_getmem_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                          int pe) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_RMA_H
