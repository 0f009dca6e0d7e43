// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on elements of any basic type, for runtimes, which know types by codes
// (types.h): on arrays (accumulate, get_accumulate) and on single elements. Part of <shmemx.h>.
//
// Atomicity. Each element changes by itself, in any order of the elements. Elements of 1, 2, 4 and
// 8 bytes change by atomics of the processor, on any node: so accumulate, get_accumulate, fetch_op,
// compare_swap, the shmem_atomic_ routines and shmem_signal routines exclude each other on the same
// memory, also with different types and sizes, and a plain load sees an old or a new element. long
// double and complex double change under a lock of the PE that owns them, and so do complex floats
// at addresses that are no multiple of 8: the routines here exclude each other on them, but do not
// exclude puts and gets of the element. PROD of complex numbers is as in C.
//
// Common to all routines here. dest is a symmetric address, the calling PE's own one for the
// object, and aligned for its type; the others are local and need no alignment. A PE number
// counts within the context's team; without a context within all PEs.
//
// ERRORS, for all: a code that is not in types.h, an operation that the type does not have, a PE
// number out of range, NULL for local memory, and a dest that is not symmetric, not aligned or too
// short end the job with a message. THREADS, for all: as the thread level and the context's options
// allow.

#ifndef SHMEM_INTERNAL_SHMEMX_ACCUMULATE_H
#define SHMEM_INTERNAL_SHMEMX_ACCUMULATE_H

#include "requests.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Combines elements with those of another PE: dest[i] becomes dest[i] op source[i].
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe.
 * source     local address of nelems elements.
 * nelems     number of elements. With 0 source may be NULL.
 * type       SHMEMX_TYPE_...
 * op         SHMEMX_OP_SUM, _PROD, _REPLACE, _NO_OP; _MIN, _MAX but for complex types; _AND, _OR,
 *            _XOR for integers.
 * pe         target.
 * req        _req: receives a request (requests.h).
 *
 * RETURNS when: source may be reused. Delivered by shmem_quiet, in any order before it; _req:
 * after SHMEMX_REMOTE.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_accumulate(void* dest, const void* source, size_t nelems, int type, int op,
                       int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_accumulate(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int type,
                           int op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_accumulate_req(void* dest, const void* source, size_t nelems, int type, int op, int pe,
                           shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_accumulate_req(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                               int type, int op, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * Combines elements with those of another PE, and gives the old ones: result[i] becomes what
 * dest[i] was before dest[i] became dest[i] op source[i]. With SHMEMX_OP_NO_OP it reads elements
 * atomically.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address on pe.
 * source     local address of nelems elements. With SHMEMX_OP_NO_OP it may be NULL.
 * result     local address, receives nelems old elements. It overlaps neither source nor dest.
 * nelems     number of elements. With 0 source and result may be NULL.
 * type       SHMEMX_TYPE_...
 * op         as shmemx_accumulate.
 * pe         target.
 * req        _req: receives a request (requests.h).
 *
 * RETURNS when: done, *result is there. _req: when source may be reused; *result is there after
 * SHMEMX_LOCAL, and then dest is changed, too.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_get_accumulate(void* dest, const void* source, void* result, size_t nelems, int type,
                           int op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_accumulate(shmem_ctx_t ctx, void* dest, const void* source, void* result,
                               size_t nelems, int type, int op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_get_accumulate_req(void* dest, const void* source, void* result, size_t nelems,
                               int type, int op, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_get_accumulate_req(shmem_ctx_t ctx, void* dest, const void* source, void* result,
                                   size_t nelems, int type, int op, int pe,
                                   shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * Combines one element with a value, and gives the old element: fetch-and-add with SHMEMX_OP_SUM, a
 * swap with SHMEMX_OP_REPLACE, a read with SHMEMX_OP_NO_OP.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address of the element on pe.
 * value      local address of the value; with SHMEMX_OP_NO_OP it may be NULL.
 * result     local address, receives the old element.
 * type       SHMEMX_TYPE_... with at most 8 bytes: not long double, not complex double.
 * op         as shmemx_accumulate.
 * pe         where the element is.
 * req        _req: receives a request (requests.h).
 *
 * RETURNS when: done, *result is there. _req: at once; *result is there after SHMEMX_LOCAL.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_fetch_op(void* dest, const void* value, void* result, int type, int op,
                     int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_fetch_op(shmem_ctx_t ctx, void* dest, const void* value, void* result, int type,
                         int op, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_fetch_op_req(void* dest, const void* value, void* result, int type, int op, int pe,
                         shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_fetch_op_req(shmem_ctx_t ctx, void* dest, const void* value, void* result, int type,
                             int op, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * Writes a value if the element equals cond, and gives the old element.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address of the element on pe.
 * cond       local address of the value to compare with.
 * value      local address of the new value.
 * result     local address, receives the old element, equal to *cond if *value was written.
 * type       an integer type of 1, 2, 4 or 8 bytes.
 * pe         where the element is.
 * req        _req: receives a request (requests.h).
 *
 * RETURNS when: done, *result is there. _req: at once; *result is there after SHMEMX_LOCAL.
 * ERRORS, THREADS: see the top of this file.
 */
void shmemx_compare_swap(void* dest, const void* cond, const void* value, void* result, int type,
                         int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_compare_swap(shmem_ctx_t ctx, void* dest, const void* cond, const void* value,
                             void* result, int type, int pe) SHMEM_INTERNAL_NOTHROW;
void shmemx_compare_swap_req(void* dest, const void* cond, const void* value, void* result,
                             int type, int pe, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
void shmemx_ctx_compare_swap_req(shmem_ctx_t ctx, void* dest, const void* cond, const void* value,
                                 void* result, int type, int pe,
                                 shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_ACCUMULATE_H
