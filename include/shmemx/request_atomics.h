// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics with a request (requests.h): those of shmem/atomics.h, with and without a result. Part of
// <shmemx.h>.
//
// ERRORS, for all: a PE number out of range, an object that is not symmetric, or not aligned, NULL
// instead of a variable, and more than 1,048,575 open requests end the job with a message.
// THREADS, for all: as the thread level and the context's options allow; one thread at a time uses
// a request.

#ifndef SHMEM_INTERNAL_SHMEMX_REQUEST_ATOMICS_H
#define SHMEM_INTERNAL_SHMEMX_REQUEST_ATOMICS_H

#include "requests.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads (fetch), or overwrites (set), or overwrites and gives the old value (swap).
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * fetch      fetch, swap: local address, receives the value or old value.
 * source     fetch: symmetric address of the object to read.
 * dest       set, swap: symmetric address of the object to change.
 * value      set, swap: the new value.
 * pe         where the object is.
 * req        receives the request.
 *
 * RETURNS when: at once. fetch, swap: *fetch is there after SHMEMX_LOCAL, and the operation done.
 * set: done after SHMEMX_REMOTE. ERRORS, THREADS: see the top of this file.
 */
// shmemx_TYPENAME_atomic_{fetch,set,swap}_req, shmemx_ctx_TYPENAME_atomic_{fetch,set,swap}_req
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                           \
    void shmemx_##NAME##_atomic_fetch_req(T* fetch, const T* source, int pe, shmemx_req_t* req)   \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    void shmemx_ctx_##NAME##_atomic_fetch_req(shmem_ctx_t ctx, T* fetch, const T* source, int pe, \
                                              shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;          \
    void shmemx_##NAME##_atomic_set_req(T* dest, T value, int pe, shmemx_req_t* req)              \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    void shmemx_ctx_##NAME##_atomic_set_req(shmem_ctx_t ctx, T* dest, T value, int pe,            \
                                            shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;            \
    void shmemx_##NAME##_atomic_swap_req(T* fetch, T* dest, T value, int pe, shmemx_req_t* req)   \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    void shmemx_ctx_##NAME##_atomic_swap_req(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe, \
                                             shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Writes value if the object equals cond (compare_swap), or adds 1 (inc) or value (add).
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * fetch      those with a result: local address, receives the old value.
 * dest       symmetric address of the object.
 * cond       compare_swap: the value to compare with.
 * value      compare_swap: the new value; add: the value to add.
 * pe         where the object is.
 * req        receives the request.
 *
 * RETURNS when: at once. With a result: *fetch is there after SHMEMX_LOCAL, and the operation done.
 * Without: done after SHMEMX_REMOTE. ERRORS, THREADS: see the top of this file.
 */
// shmemx_TYPENAME_atomic_{compare_swap,fetch_inc,inc,fetch_add,add}_req and shmemx_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                          \
    void shmemx_##NAME##_atomic_compare_swap_req(T* fetch, T* dest, T cond, T value, int pe,     \
                                                 shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;      \
    void shmemx_ctx_##NAME##_atomic_compare_swap_req(shmem_ctx_t ctx, T* fetch, T* dest, T cond, \
                                                     T value, int pe, shmemx_req_t* req)         \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmemx_##NAME##_atomic_fetch_inc_req(T* fetch, T* dest, int pe, shmemx_req_t* req)      \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmemx_ctx_##NAME##_atomic_fetch_inc_req(shmem_ctx_t ctx, T* fetch, T* dest, int pe,    \
                                                  shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;     \
    void shmemx_##NAME##_atomic_inc_req(T* dest, int pe, shmemx_req_t* req)                      \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmemx_ctx_##NAME##_atomic_inc_req(shmem_ctx_t ctx, T* dest, int pe, shmemx_req_t* req) \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmemx_##NAME##_atomic_fetch_add_req(T* fetch, T* dest, T value, int pe,                \
                                              shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;         \
    void shmemx_ctx_##NAME##_atomic_fetch_add_req(shmem_ctx_t ctx, T* fetch, T* dest, T value,   \
                                                  int pe, shmemx_req_t* req)                     \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmemx_##NAME##_atomic_add_req(T* dest, T value, int pe, shmemx_req_t* req)             \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmemx_ctx_##NAME##_atomic_add_req(shmem_ctx_t ctx, T* dest, T value, int pe,           \
                                            shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Combines the object with value bit by bit.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * fetch      those with a result: local address, receives the old value.
 * dest       symmetric address of the object.
 * value      the value to combine with.
 * pe         where the object is.
 * req        receives the request.
 *
 * RETURNS when: at once. With a result: *fetch is there after SHMEMX_LOCAL, and the operation done.
 * Without: done after SHMEMX_REMOTE. ERRORS, THREADS: see the top of this file.
 */
// shmemx_TYPENAME_atomic_{fetch_and,and,fetch_or,or,fetch_xor,xor}_req and shmemx_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                        \
    void shmemx_##NAME##_atomic_fetch_and_req(T* fetch, T* dest, T value, int pe,              \
                                              shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;       \
    void shmemx_ctx_##NAME##_atomic_fetch_and_req(shmem_ctx_t ctx, T* fetch, T* dest, T value, \
                                                  int pe, shmemx_req_t* req)                   \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmemx_##NAME##_atomic_and_req(T* dest, T value, int pe, shmemx_req_t* req)           \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmemx_ctx_##NAME##_atomic_and_req(shmem_ctx_t ctx, T* dest, T value, int pe,         \
                                            shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;         \
    void shmemx_##NAME##_atomic_fetch_or_req(T* fetch, T* dest, T value, int pe,               \
                                             shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;        \
    void shmemx_ctx_##NAME##_atomic_fetch_or_req(shmem_ctx_t ctx, T* fetch, T* dest, T value,  \
                                                 int pe, shmemx_req_t* req)                    \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmemx_##NAME##_atomic_or_req(T* dest, T value, int pe, shmemx_req_t* req)            \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmemx_ctx_##NAME##_atomic_or_req(shmem_ctx_t ctx, T* dest, T value, int pe,          \
                                           shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;          \
    void shmemx_##NAME##_atomic_fetch_xor_req(T* fetch, T* dest, T value, int pe,              \
                                              shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;       \
    void shmemx_ctx_##NAME##_atomic_fetch_xor_req(shmem_ctx_t ctx, T* fetch, T* dest, T value, \
                                                  int pe, shmemx_req_t* req)                   \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmemx_##NAME##_atomic_xor_req(T* dest, T value, int pe, shmemx_req_t* req)           \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    void shmemx_ctx_##NAME##_atomic_xor_req(shmem_ctx_t ctx, T* dest, T value, int pe,         \
                                            shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_REQUEST_ATOMICS_H
