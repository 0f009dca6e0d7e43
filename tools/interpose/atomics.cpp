// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics, also under their deprecated names (OpenSHMEM 1.6, 9.7).
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

// The members that all atomics on a word of type T have.
#define WORD(T, OPERATION, IS_NBI, IS_FETCHING, ADDRESS)                                     \
    .kind = Kind::kAtomic, .operation = AtomicOperation::OPERATION, .is_nbi = IS_NBI,        \
    .is_fetching = IS_FETCHING, .dest = const_cast<T*>(ADDRESS), .element_bytes = sizeof(T), \
    .count = 1, .pe = pe

// ---- Without a result, and with the old value ---------------------------------------------------

#define CHANGES(T) (Counted::atomic, pe, sizeof(T))
#define FETCHES(T) (Counted::fetching_atomic, pe, sizeof(T))
#define FETCH(FORM, NAME, T)                                           \
    FORM(FETCHES(T), T, NAME, (const T* source, int pe), (source, pe), \
         WORD(T, kFetch, false, true, source))
#define UPDATE(FORM, NAME, T, OPERATION)                                         \
    FORM(CHANGES(T), void, NAME, (T * dest, T value, int pe), (dest, value, pe), \
         WORD(T, OPERATION, false, false, dest), .value = bits_of(value))
#define FETCH_UPDATE(FORM, NAME, T, OPERATION)                                \
    FORM(FETCHES(T), T, NAME, (T * dest, T value, int pe), (dest, value, pe), \
         WORD(T, OPERATION, false, true, dest), .value = bits_of(value))
#define COMPARE_SWAP(FORM, NAME, T)                                                         \
    FORM(FETCHES(T), T, NAME, (T * dest, T cond, T value, int pe), (dest, cond, value, pe), \
         WORD(T, kCompareSwap, false, true, dest), .value = bits_of(value),                 \
         .condition = bits_of(cond))
#define INCREMENT(FORM, NAME, T)                                 \
    FORM(CHANGES(T), void, NAME, (T * dest, int pe), (dest, pe), \
         WORD(T, kAdd, false, false, dest), .value = 1)
#define FETCH_INCREMENT(FORM, NAME, T)                                                          \
    FORM(FETCHES(T), T, NAME, (T * dest, int pe), (dest, pe), WORD(T, kAdd, false, true, dest), \
         .value = 1)

// ---- Nonblocking: the old value comes later -----------------------------------------------------

#define FETCH_NBI(NAME, T)                                                      \
    INTERPOSE_CTX(FETCHES(T), void, NAME, (T * fetch, const T* source, int pe), \
                  (fetch, source, pe), WORD(T, kFetch, true, true, source), .fetched = fetch)
#define UPDATE_NBI(NAME, T, OPERATION)                                            \
    INTERPOSE_CTX(FETCHES(T), void, NAME, (T * fetch, T * dest, T value, int pe), \
                  (fetch, dest, value, pe), WORD(T, OPERATION, true, true, dest), \
                  .fetched = fetch, .value = bits_of(value))
#define COMPARE_SWAP_NBI(NAME, T)                                                          \
    INTERPOSE_CTX(FETCHES(T), void, NAME, (T * fetch, T * dest, T cond, T value, int pe),  \
                  (fetch, dest, cond, value, pe), WORD(T, kCompareSwap, true, true, dest), \
                  .fetched = fetch, .value = bits_of(value), .condition = bits_of(cond))
#define INCREMENT_NBI(NAME, T)                                                              \
    INTERPOSE_CTX(FETCHES(T), void, NAME, (T * fetch, T * dest, int pe), (fetch, dest, pe), \
                  WORD(T, kAdd, true, true, dest), .fetched = fetch, .value = 1)

// ---- With a request (shmemx/request_atomics.h) --------------------------------------------------

#define REQUEST_CTX(COLUMN, NAME, PARAMETERS, ARGUMENTS, ...)                                    \
    INTERPOSE_CTX_OF(shmemx_, (Counted::COLUMN), void, NAME, PARAMETERS, ARGUMENTS, __VA_ARGS__, \
                     .requests = req, .request_count = 1)
#define FETCH_REQ(NAME, T)                                                                      \
    REQUEST_CTX(fetching_atomic, NAME, (T * fetch, const T* source, int pe, shmemx_req_t* req), \
                (fetch, source, pe, req), WORD(T, kFetch, true, true, source), .fetched = fetch)
#define SET_REQ(NAME, T, OPERATION)                                            \
    REQUEST_CTX(atomic, NAME, (T * dest, T value, int pe, shmemx_req_t* req),  \
                (dest, value, pe, req), WORD(T, OPERATION, true, false, dest), \
                .value = bits_of(value))
#define UPDATE_REQ(NAME, T, OPERATION)                                                            \
    REQUEST_CTX(fetching_atomic, NAME, (T * fetch, T * dest, T value, int pe, shmemx_req_t* req), \
                (fetch, dest, value, pe, req), WORD(T, OPERATION, true, true, dest),              \
                .fetched = fetch, .value = bits_of(value))
#define COMPARE_SWAP_REQ(NAME, T)                                                             \
    REQUEST_CTX(fetching_atomic, NAME,                                                        \
                (T * fetch, T * dest, T cond, T value, int pe, shmemx_req_t* req),            \
                (fetch, dest, cond, value, pe, req), WORD(T, kCompareSwap, true, true, dest), \
                .fetched = fetch, .value = bits_of(value), .condition = bits_of(cond))
#define INCREMENT_REQ(NAME, T)                                                        \
    REQUEST_CTX(atomic, NAME, (T * dest, int pe, shmemx_req_t* req), (dest, pe, req), \
                WORD(T, kAdd, true, false, dest), .value = 1)
#define FETCH_INCREMENT_REQ(NAME, T)                                                       \
    REQUEST_CTX(fetching_atomic, NAME, (T * fetch, T * dest, int pe, shmemx_req_t* req),   \
                (fetch, dest, pe, req), WORD(T, kAdd, true, true, dest), .fetched = fetch, \
                .value = 1)

// ---- The routines -------------------------------------------------------------------------------

// shmem_TYPENAME_atomic_{fetch,set,swap}
#define EXTENDED(NAME, T)                                     \
    FETCH(INTERPOSE_CTX, NAME##_atomic_fetch, T)              \
    UPDATE(INTERPOSE_CTX, NAME##_atomic_set, T, kSet)         \
    FETCH_UPDATE(INTERPOSE_CTX, NAME##_atomic_swap, T, kSwap) \
    FETCH_NBI(NAME##_atomic_fetch_nbi, T)                     \
    UPDATE_NBI(NAME##_atomic_swap_nbi, T, kSwap)              \
    FETCH_REQ(NAME##_atomic_fetch_req, T)                     \
    SET_REQ(NAME##_atomic_set_req, T, kSet)                   \
    UPDATE_REQ(NAME##_atomic_swap_req, T, kSwap)
SHMEM_INTERNAL_AMO_EXT_TYPES(EXTENDED)
#undef EXTENDED

// shmem_TYPENAME_atomic_VERB and its forms
#define VERB(NAME, T, WHAT, OPERATION)                                    \
    UPDATE(INTERPOSE_CTX, NAME##_atomic_##WHAT, T, OPERATION)             \
    FETCH_UPDATE(INTERPOSE_CTX, NAME##_atomic_fetch_##WHAT, T, OPERATION) \
    UPDATE_NBI(NAME##_atomic_fetch_##WHAT##_nbi, T, OPERATION)            \
    SET_REQ(NAME##_atomic_##WHAT##_req, T, OPERATION)                     \
    UPDATE_REQ(NAME##_atomic_fetch_##WHAT##_req, T, OPERATION)

// shmem_TYPENAME_atomic_{add,inc,compare_swap}
#define STANDARD(NAME, T)                                      \
    VERB(NAME, T, add, kAdd)                                   \
    INCREMENT(INTERPOSE_CTX, NAME##_atomic_inc, T)             \
    FETCH_INCREMENT(INTERPOSE_CTX, NAME##_atomic_fetch_inc, T) \
    INCREMENT_NBI(NAME##_atomic_fetch_inc_nbi, T)              \
    INCREMENT_REQ(NAME##_atomic_inc_req, T)                    \
    FETCH_INCREMENT_REQ(NAME##_atomic_fetch_inc_req, T)        \
    COMPARE_SWAP(INTERPOSE_CTX, NAME##_atomic_compare_swap, T) \
    COMPARE_SWAP_NBI(NAME##_atomic_compare_swap_nbi, T)        \
    COMPARE_SWAP_REQ(NAME##_atomic_compare_swap_req, T)
SHMEM_INTERNAL_AMO_STD_TYPES(STANDARD)
#undef STANDARD

// shmem_TYPENAME_atomic_{and,or,xor}
#define BITWISE(NAME, T)     \
    VERB(NAME, T, and, kAnd) \
    VERB(NAME, T, or, kOr)   \
    VERB(NAME, T, xor, kXor)
SHMEM_INTERNAL_AMO_BIT_TYPES(BITWISE)
#undef BITWISE

// shmem_TYPENAME_{fetch,set,swap}, deprecated since 1.4
#define OLD_EXTENDED(NAME, T)                              \
    FETCH(INTERPOSE_COUNTED, shmem_##NAME##_fetch, T)      \
    UPDATE(INTERPOSE_COUNTED, shmem_##NAME##_set, T, kSet) \
    FETCH_UPDATE(INTERPOSE_COUNTED, shmem_##NAME##_swap, T, kSwap)
SHMEM_INTERNAL_OLD_EXT_TYPES(OLD_EXTENDED)
#undef OLD_EXTENDED

// shmem_TYPENAME_{cswap,finc,inc,fadd,add}, deprecated since 1.4
#define OLD_STANDARD(NAME, T)                                     \
    COMPARE_SWAP(INTERPOSE_COUNTED, shmem_##NAME##_cswap, T)      \
    FETCH_INCREMENT(INTERPOSE_COUNTED, shmem_##NAME##_finc, T)    \
    INCREMENT(INTERPOSE_COUNTED, shmem_##NAME##_inc, T)           \
    FETCH_UPDATE(INTERPOSE_COUNTED, shmem_##NAME##_fadd, T, kAdd) \
    UPDATE(INTERPOSE_COUNTED, shmem_##NAME##_add, T, kAdd)
SHMEM_INTERNAL_OLD_STD_TYPES(OLD_STANDARD)
#undef OLD_STANDARD

}  // namespace tessera::interpose
