// SPDX-License-Identifier: BSD-3-Clause
//
// Strided transfers in several dimensions, and transfers of lists of blocks. Part of <shmemx.h>.
// One call moves a section of an array, such as the face of a cube or every second element of some
// rows, to or from another PE.
//
// Common to all routines here. The remote side (dest of a put, source of a get) is symmetric, given
// as the calling PE's own address; the local side is any memory. The sides may not overlap. The
// elements of dest may not overlap each other: each is written once. The order in which elements
// are written is undefined; contiguous ones may be written as one block, as shmem_putmem does. The
// arrays that describe a transfer may be reused when the call returns. Completion and order are
// those of shmem_putmem and shmem_getmem and their nonblocking forms: shmem_fence orders these
// puts, shmem_quiet completes them. A PE number counts within the context's team; without a context
// within all PEs.
//
// ERRORS, for all: a PE number out of range, a NULL array, a count out of range, more bytes than
// any memory has, or a remote range (from the lowest to the highest byte that the call touches)
// that is not inside one segment of symmetric memory, ends the job with a message.
// THREADS, for all: as the thread level and the context's options allow.

#ifndef SHMEM_INTERNAL_SHMEMX_STRIDED_H
#define SHMEM_INTERNAL_SHMEMX_STRIDED_H

#include "../shmem/contexts.h"
#include "../shmem/signal.h"
#include "../shmem/types.h"
#include "requests.h"

/** The most dimensions of a strided transfer. */
#define SHMEMX_NDIMS_MAX 15

/** A block of a list: some bytes of memory. */
typedef struct {
    /** Bytes from the address that the call names to the first byte. May be negative. */
    ptrdiff_t offset;
    /** Bytes of the block. */
    size_t bytes;
} shmemx_block_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies a section of an array to another PE. For all indices i_k in [0, extents[k]) the element at
 * source + (the sum of i_k * source_strides[k]) goes to dest + (the sum of i_k * dest_strides[k]).
 * Dimensions may stand in any order.
 *
 * ctx             context; without it SHMEM_CTX_DEFAULT.
 * dest            symmetric address, on pe, of the element whose indices are 0.
 * dest_strides    for each dimension the bytes from an element to the next one. May be negative;
 *                 at least element_bytes, up or down, where the extent is more than 1.
 * source          local address of the element whose indices are 0.
 * source_strides  the same of source. May be negative, and 0: the element goes to several places.
 * extents         number of elements in each dimension. With a 0 among them nothing happens.
 * ndims           number of dimensions, 0 (one element) to SHMEMX_NDIMS_MAX.
 * element_bytes   bytes of an element, any number. With 0 nothing happens.
 * pe              target.
 *
 * RETURNS when: source may be reused. Delivered by shmem_quiet, in any order before it.
 * ERRORS, THREADS: see the top of this file; a dimension of dest whose elements overlap ends the
 * job with a message.
 */
void shmemx_put_strided(void* dest, const ptrdiff_t* dest_strides, const void* source,
                        const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                        size_t element_bytes, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_strided(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                            const void* source, const ptrdiff_t* source_strides,
                            const size_t* extents, int ndims, size_t element_bytes,
                            int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_put_strided that does not wait until source may be reused.
 *
 * RETURNS when: at once. Source may be reused after shmem_quiet, which delivers, too.
 * ERRORS, THREADS: as shmemx_put_strided.
 */
void shmemx_put_strided_nbi(void* dest, const ptrdiff_t* dest_strides, const void* source,
                            const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                            size_t element_bytes, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_strided_nbi(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                                const void* source, const ptrdiff_t* source_strides,
                                const size_t* extents, int ndims, size_t element_bytes,
                                int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies a section of an array of another PE. The arguments are those of shmemx_put_strided, but
 * source is a symmetric address on pe, and dest a local one.
 *
 * RETURNS when: dest holds the data.
 * ERRORS, THREADS: as shmemx_put_strided.
 */
void shmemx_get_strided(void* dest, const ptrdiff_t* dest_strides, const void* source,
                        const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                        size_t element_bytes, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_strided(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                            const void* source, const ptrdiff_t* source_strides,
                            const size_t* extents, int ndims, size_t element_bytes,
                            int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_get_strided that does not wait for the data. The arguments are those of
 * shmemx_put_strided.
 *
 * RETURNS when: at once. Dest holds the data after shmem_quiet.
 * ERRORS, THREADS: as shmemx_put_strided.
 */
void shmemx_get_strided_nbi(void* dest, const ptrdiff_t* dest_strides, const void* source,
                            const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                            size_t element_bytes, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_strided_nbi(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                                const void* source, const ptrdiff_t* source_strides,
                                const size_t* extents, int ndims, size_t element_bytes,
                                int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies blocks of memory to another PE. The bytes of the blocks of source, one block after the
 * other, fill the blocks of dest in their order. The two lists may cut the bytes differently.
 *
 * ctx              context; without it SHMEM_CTX_DEFAULT.
 * dest             symmetric address on pe from which the offsets of dest_blocks count.
 * dest_blocks      list of blocks, none of which overlaps another.
 * n_dest_blocks    number of them.
 * source           local address from which the offsets of source_blocks count.
 * source_blocks    list of blocks. They may overlap.
 * n_source_blocks  number of them.
 * pe               target.
 *
 * RETURNS when: source may be reused. Delivered by shmem_quiet, in any order before it.
 * ERRORS, THREADS: see the top of this file; lists whose blocks do not have the same number of
 * bytes together end the job with a message.
 */
void shmemx_put_indexed(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                        const void* source, const shmemx_block_t* source_blocks,
                        size_t n_source_blocks, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_indexed(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                            size_t n_dest_blocks, const void* source,
                            const shmemx_block_t* source_blocks, size_t n_source_blocks,
                            int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_put_indexed that does not wait until source may be reused.
 *
 * RETURNS when: at once. Source may be reused after shmem_quiet, which delivers, too.
 * ERRORS, THREADS: as shmemx_put_indexed.
 */
void shmemx_put_indexed_nbi(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                            const void* source, const shmemx_block_t* source_blocks,
                            size_t n_source_blocks, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_indexed_nbi(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                                size_t n_dest_blocks, const void* source,
                                const shmemx_block_t* source_blocks, size_t n_source_blocks,
                                int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Copies blocks of memory of another PE. The arguments are those of shmemx_put_indexed, but source
 * is a symmetric address on pe, and dest a local one.
 *
 * RETURNS when: dest holds the data.
 * ERRORS, THREADS: as shmemx_put_indexed.
 */
void shmemx_get_indexed(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                        const void* source, const shmemx_block_t* source_blocks,
                        size_t n_source_blocks, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_indexed(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                            size_t n_dest_blocks, const void* source,
                            const shmemx_block_t* source_blocks, size_t n_source_blocks,
                            int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_get_indexed that does not wait for the data. The arguments are those of
 * shmemx_put_indexed.
 *
 * RETURNS when: at once. Dest holds the data after shmem_quiet.
 * ERRORS, THREADS: as shmemx_put_indexed.
 */
void shmemx_get_indexed_nbi(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                            const void* source, const shmemx_block_t* source_blocks,
                            size_t n_source_blocks, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_indexed_nbi(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                                size_t n_dest_blocks, const void* source,
                                const shmemx_block_t* source_blocks, size_t n_source_blocks,
                                int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_put_strided and shmemx_put_indexed, each of which then updates a signal on pe. When that
 * PE sees the new value of the signal, through a routine of this library, it may read the data.
 * Earlier operations are not ordered before the signal. The other arguments are those of the
 * routines without _signal. SHMEM_SIGNAL_ADD adds as shmem_uint64_atomic_add does, so atomic
 * routines may use the word at the same time.
 *
 * sig_addr  symmetric address of the signal on pe, outside of dest's elements. A transfer without
 *           bytes updates it all the same.
 * signal    the value that the operator uses.
 * sig_op    SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD.
 *
 * RETURNS when: source may be reused; the forms _nbi at once, and shmem_quiet makes source
 * reusable. Data and signal delivered, in this order, by shmem_quiet.
 * ERRORS, THREADS: as the routines without _signal; a signal that is not symmetric or not aligned
 * to 8 bytes, or an unknown operator, ends the job with a message.
 */
void shmemx_put_strided_signal(void* dest, const ptrdiff_t* dest_strides, const void* source,
                               const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                               size_t element_bytes, uint64_t* sig_addr, uint64_t signal,
                               int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_strided_signal(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                                   const void* source, const ptrdiff_t* source_strides,
                                   const size_t* extents, int ndims, size_t element_bytes,
                                   uint64_t* sig_addr, uint64_t signal, int sig_op,
                                   int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_put_strided_signal_nbi(void* dest, const ptrdiff_t* dest_strides, const void* source,
                                   const ptrdiff_t* source_strides, const size_t* extents,
                                   int ndims, size_t element_bytes, uint64_t* sig_addr,
                                   uint64_t signal, int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_strided_signal_nbi(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                                       const void* source, const ptrdiff_t* source_strides,
                                       const size_t* extents, int ndims, size_t element_bytes,
                                       uint64_t* sig_addr, uint64_t signal, int sig_op,
                                       int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_put_indexed_signal(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                               const void* source, const shmemx_block_t* source_blocks,
                               size_t n_source_blocks, uint64_t* sig_addr, uint64_t signal,
                               int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_indexed_signal(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                                   size_t n_dest_blocks, const void* source,
                                   const shmemx_block_t* source_blocks, size_t n_source_blocks,
                                   uint64_t* sig_addr, uint64_t signal, int sig_op,
                                   int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_put_indexed_signal_nbi(void* dest, const shmemx_block_t* dest_blocks,
                                   size_t n_dest_blocks, const void* source,
                                   const shmemx_block_t* source_blocks, size_t n_source_blocks,
                                   uint64_t* sig_addr, uint64_t signal, int sig_op,
                                   int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_indexed_signal_nbi(shmem_ctx_t ctx, void* dest,
                                       const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                                       const void* source, const shmemx_block_t* source_blocks,
                                       size_t n_source_blocks, uint64_t* sig_addr, uint64_t signal,
                                       int sig_op, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_put_strided and shmemx_get_strided with a request (shmemx/requests.h). The other arguments
 * are those of the routines without _req.
 *
 * req  receives the request. It is complete locally when source may be reused, or dest holds the
 *      data; remotely when the data is delivered, too.
 *
 * RETURNS when: at once, or when there is room for more operations.
 * ERRORS, THREADS: as the routines without _req; NULL for req ends the job with a message.
 */
void shmemx_put_strided_req(void* dest, const ptrdiff_t* dest_strides, const void* source,
                            const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                            size_t element_bytes, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_strided_req(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                                const void* source, const ptrdiff_t* source_strides,
                                const size_t* extents, int ndims, size_t element_bytes, int pe,
                                shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_get_strided_req(void* dest, const ptrdiff_t* dest_strides, const void* source,
                            const ptrdiff_t* source_strides, const size_t* extents, int ndims,
                            size_t element_bytes, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_strided_req(shmem_ctx_t ctx, void* dest, const ptrdiff_t* dest_strides,
                                const void* source, const ptrdiff_t* source_strides,
                                const size_t* extents, int ndims, size_t element_bytes, int pe,
                                shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * shmemx_put_indexed and shmemx_get_indexed with a request (shmemx/requests.h). The other arguments
 * are those of the routines without _req.
 *
 * req  receives the request. It is complete locally when source may be reused, or dest holds the
 *      data; remotely when the data is delivered, too.
 *
 * RETURNS when: at once, or when there is room for more operations.
 * ERRORS, THREADS: as the routines without _req; NULL for req ends the job with a message.
 */
void shmemx_put_indexed_req(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                            const void* source, const shmemx_block_t* source_blocks,
                            size_t n_source_blocks, int pe,
                            shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_put_indexed_req(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                                size_t n_dest_blocks, const void* source,
                                const shmemx_block_t* source_blocks, size_t n_source_blocks, int pe,
                                shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_get_indexed_req(void* dest, const shmemx_block_t* dest_blocks, size_t n_dest_blocks,
                            const void* source, const shmemx_block_t* source_blocks,
                            size_t n_source_blocks, int pe,
                            shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_indexed_req(shmem_ctx_t ctx, void* dest, const shmemx_block_t* dest_blocks,
                                size_t n_dest_blocks, const void* source,
                                const shmemx_block_t* source_blocks, size_t n_source_blocks, int pe,
                                shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
