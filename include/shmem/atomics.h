// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic memory operations (OpenSHMEM 1.6, 9.7). Part of <shmem.h>. The older names without
// "atomic" are in shmem/deprecated.h.
//
// Common to all routines here. The remote object is a symmetric address, given as the calling PE's
// own address of it, and aligned for its type. Operations on one object exclude each other as long
// as all use the same type, and contexts of one atomicity domain; the point-to-point
// synchronization of shmem/sync.h on the owning PE counts as one of them. Plain loads, stores and
// puts at the same time do not. A PE number counts within the context's team; without a context
// within all PEs. A nonblocking (_nbi) routine writes its fetch object before shmem_quiet on its
// context returns.
//
// ERRORS, for all: a PE number out of range, an object that is not symmetric, or not aligned, ends
// the job with a message. THREADS, for all: as the thread level and the context's options allow.

#ifndef SHMEM_INTERNAL_ATOMICS_H
#define SHMEM_INTERNAL_ATOMICS_H

#include "contexts.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reads (fetch), or overwrites (set), or overwrites and gives the old value (swap).
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * source     fetch: symmetric address of the object to read.
 * dest       set, swap: symmetric address of the object to change.
 * value      set, swap: the new value.
 * pe         where the object is.
 *
 * RETURNS when: fetch, swap: done, the old value. set: at once, done by shmem_quiet.
 * ERRORS, THREADS: see the top of this file.
 * OpenSHMEM 1.6, 9.7, shmem_atomic_fetch, shmem_atomic_set, shmem_atomic_swap.
 */
// shmem_TYPENAME_atomic_{fetch,set,swap}, shmem_ctx_TYPENAME_atomic_{fetch,set,swap}
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                              \
    T shmem_##NAME##_atomic_fetch(const T* source, int pe) SHMEM_INTERNAL_NOTHROW;   \
    T shmem_ctx_##NAME##_atomic_fetch(shmem_ctx_t ctx, const T* source, int pe)      \
        SHMEM_INTERNAL_NOTHROW;                                                      \
    void shmem_##NAME##_atomic_set(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmem_ctx_##NAME##_atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe)    \
        SHMEM_INTERNAL_NOTHROW;                                                      \
    T shmem_##NAME##_atomic_swap(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;   \
    T shmem_ctx_##NAME##_atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe)      \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Writes value if the object equals cond.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address of the object.
 * cond       the value to compare with.
 * value      the new value.
 * pe         where the object is.
 *
 * RETURNS when: done; the old value, equal to cond if value was written.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.7, shmem_atomic_compare_swap.
 */
// shmem_TYPENAME_atomic_compare_swap, shmem_ctx_TYPENAME_atomic_compare_swap
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                            \
    T shmem_##NAME##_atomic_compare_swap(T* dest, T cond, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_ctx_##NAME##_atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value, int pe)    \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Adds 1 (inc, fetch_inc) or value (add, fetch_add); signed types wrap around.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address of the object.
 * value      add, fetch_add: the value to add.
 * pe         where the object is.
 *
 * RETURNS when: fetch_inc, fetch_add: done, the old value. inc, add: at once, done by shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.7, shmem_atomic_fetch_inc,
 * shmem_atomic_inc, shmem_atomic_fetch_add, shmem_atomic_add.
 */
// shmem_TYPENAME_atomic_{fetch_inc,inc,fetch_add,add} and their shmem_ctx_TYPENAME_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                          \
    T shmem_##NAME##_atomic_fetch_inc(T* dest, int pe) SHMEM_INTERNAL_NOTHROW;                   \
    T shmem_ctx_##NAME##_atomic_fetch_inc(shmem_ctx_t ctx, T* dest, int pe)                      \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmem_##NAME##_atomic_inc(T* dest, int pe) SHMEM_INTERNAL_NOTHROW;                      \
    void shmem_ctx_##NAME##_atomic_inc(shmem_ctx_t ctx, T* dest, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_##NAME##_atomic_fetch_add(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;          \
    T shmem_ctx_##NAME##_atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe)             \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmem_##NAME##_atomic_add(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;             \
    void shmem_ctx_##NAME##_atomic_add(shmem_ctx_t ctx, T* dest, T value, int pe)                \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Combines the object bit by bit with value: and, or, exclusive or.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * dest       symmetric address of the object.
 * value      the other operand.
 * pe         where the object is.
 *
 * RETURNS when: fetch_ forms: done, the old value. Others: at once, done by shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.7, shmem_atomic_fetch_and,
 * shmem_atomic_and, shmem_atomic_fetch_or, shmem_atomic_or, shmem_atomic_fetch_xor,
 * shmem_atomic_xor.
 */
// shmem_TYPENAME_atomic_{fetch_and,and,fetch_or,or,fetch_xor,xor} and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                 \
    T shmem_##NAME##_atomic_fetch_and(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_ctx_##NAME##_atomic_fetch_and(shmem_ctx_t ctx, T* dest, T value, int pe)    \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    void shmem_##NAME##_atomic_and(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;    \
    void shmem_ctx_##NAME##_atomic_and(shmem_ctx_t ctx, T* dest, T value, int pe)       \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    T shmem_##NAME##_atomic_fetch_or(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;  \
    T shmem_ctx_##NAME##_atomic_fetch_or(shmem_ctx_t ctx, T* dest, T value, int pe)     \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    void shmem_##NAME##_atomic_or(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;     \
    void shmem_ctx_##NAME##_atomic_or(shmem_ctx_t ctx, T* dest, T value, int pe)        \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    T shmem_##NAME##_atomic_fetch_xor(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_ctx_##NAME##_atomic_fetch_xor(shmem_ctx_t ctx, T* dest, T value, int pe)    \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    void shmem_##NAME##_atomic_xor(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;    \
    void shmem_ctx_##NAME##_atomic_xor(shmem_ctx_t ctx, T* dest, T value, int pe)       \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Starts to read, or to overwrite and give the old value.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * fetch      local address that receives the old value; not to be touched before shmem_quiet.
 * source     fetch_nbi: symmetric address of the object to read.
 * dest       swap_nbi: symmetric address of the object to change.
 * value      swap_nbi: the new value.
 * pe         where the object is.
 *
 * RETURNS when: at once. Done, and *fetch valid, after shmem_quiet.
 * ERRORS, THREADS: see the top of this file.
 * OpenSHMEM 1.6, 9.7, shmem_atomic_fetch_nbi, shmem_atomic_swap_nbi.
 */
// shmem_TYPENAME_atomic_{fetch_nbi,swap_nbi}, shmem_ctx_TYPENAME_atomic_{fetch_nbi,swap_nbi}
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                          \
    void shmem_##NAME##_atomic_fetch_nbi(T* fetch, const T* source, int pe)                      \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmem_ctx_##NAME##_atomic_fetch_nbi(shmem_ctx_t ctx, T* fetch, const T* source, int pe) \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmem_##NAME##_atomic_swap_nbi(T* fetch, T* dest, T value, int pe)                      \
        SHMEM_INTERNAL_NOTHROW;                                                                  \
    void shmem_ctx_##NAME##_atomic_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Starts to compare and swap, to add 1, or to add value, and give the old value.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * fetch      local address that receives the old value; not to be touched before shmem_quiet.
 * dest       symmetric address of the object.
 * cond       compare_swap_nbi: the value to compare with.
 * value      compare_swap_nbi: the new value. fetch_add_nbi: the value to add.
 * pe         where the object is.
 *
 * RETURNS when: at once. Done, and *fetch valid, after shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.7, shmem_atomic_compare_swap_nbi,
 * shmem_atomic_fetch_inc_nbi, shmem_atomic_fetch_add_nbi.
 */
// shmem_TYPENAME_atomic_{compare_swap_nbi,fetch_inc_nbi,fetch_add_nbi} and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                         \
    void shmem_##NAME##_atomic_compare_swap_nbi(T* fetch, T* dest, T cond, T value, int pe)     \
        SHMEM_INTERNAL_NOTHROW;                                                                 \
    void shmem_ctx_##NAME##_atomic_compare_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T cond, \
                                                    T value, int pe) SHMEM_INTERNAL_NOTHROW;    \
    void shmem_##NAME##_atomic_fetch_inc_nbi(T* fetch, T* dest, int pe) SHMEM_INTERNAL_NOTHROW; \
    void shmem_ctx_##NAME##_atomic_fetch_inc_nbi(shmem_ctx_t ctx, T* fetch, T* dest, int pe)    \
        SHMEM_INTERNAL_NOTHROW;                                                                 \
    void shmem_##NAME##_atomic_fetch_add_nbi(T* fetch, T* dest, T value, int pe)                \
        SHMEM_INTERNAL_NOTHROW;                                                                 \
    void shmem_ctx_##NAME##_atomic_fetch_add_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value,   \
                                                 int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Starts to combine the object bit by bit with value, and give the old value.
 *
 * ctx        context; without it SHMEM_CTX_DEFAULT.
 * fetch      local address that receives the old value; not to be touched before shmem_quiet.
 * dest       symmetric address of the object.
 * value      the other operand.
 * pe         where the object is.
 *
 * RETURNS when: at once. Done, and *fetch valid, after shmem_quiet.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.7, shmem_atomic_fetch_and_nbi,
 * shmem_atomic_fetch_or_nbi, shmem_atomic_fetch_xor_nbi.
 */
// shmem_TYPENAME_atomic_{fetch_and_nbi,fetch_or_nbi,fetch_xor_nbi} and their shmem_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                       \
    void shmem_##NAME##_atomic_fetch_and_nbi(T* fetch, T* dest, T value, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                               \
    void shmem_ctx_##NAME##_atomic_fetch_and_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, \
                                                 int pe) SHMEM_INTERNAL_NOTHROW;              \
    void shmem_##NAME##_atomic_fetch_or_nbi(T* fetch, T* dest, T value, int pe)               \
        SHMEM_INTERNAL_NOTHROW;                                                               \
    void shmem_ctx_##NAME##_atomic_fetch_or_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value,  \
                                                int pe) SHMEM_INTERNAL_NOTHROW;               \
    void shmem_##NAME##_atomic_fetch_xor_nbi(T* fetch, T* dest, T value, int pe)              \
        SHMEM_INTERNAL_NOTHROW;                                                               \
    void shmem_ctx_##NAME##_atomic_fetch_xor_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, \
                                                 int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_ATOMICS_H
