// SPDX-License-Identifier: BSD-3-Clause
//
// Type-generic names of the layer for PGAS runtimes, as shmem/generic.h has them for the
// specification's: macros over _Generic in C11, overloads in C++. Part of <shmemx.h>, behind all
// declarations. The routine is chosen by the type of the first data pointer.

#ifndef SHMEM_INTERNAL_SHMEMX_GENERIC_H
#define SHMEM_INTERNAL_SHMEMX_GENERIC_H

#include "../shmem/generic.h"
#include "request_atomics.h"

#if defined(__cplusplus)

#include "../shmem/basic_types.h"

extern "C++" {

// ---- Requests (requests.h, request_atomics.h) -------------------------------------------------

// shmemx_{put,get}_req([ctx,] dest, source, nelems, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                     \
    inline void shmemx##F(T* dest, const T* source, size_t nelems, int pe, shmemx_req_t* req) { \
        shmemx_##NAME##F(dest, source, nelems, pe, req);                                        \
    }                                                                                           \
    inline void shmemx##F(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, int pe,     \
                          shmemx_req_t* req) {                                                  \
        shmemx_ctx_##NAME##F(ctx, dest, source, nelems, pe, req);                               \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _put_req)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _get_req)
#undef SHMEM_INTERNAL_OVERLOAD

// shmemx_put_signal_req([ctx,] dest, source, nelems, sig_addr, signal, sig_op, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                 \
    inline void shmemx##F(T* dest, const T* source, size_t nelems, uint64_t* sig_addr,      \
                          uint64_t signal, int sig_op, int pe, shmemx_req_t* req) {         \
        shmemx_##NAME##F(dest, source, nelems, sig_addr, signal, sig_op, pe, req);          \
    }                                                                                       \
    inline void shmemx##F(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems,         \
                          uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,          \
                          shmemx_req_t* req) {                                              \
        shmemx_ctx_##NAME##F(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe, req); \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _put_signal_req)
#undef SHMEM_INTERNAL_OVERLOAD

// shmemx_atomic_fetch_req([ctx,] fetch, source, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                        \
    inline void shmemx##F(T* fetch, const T* source, int pe, shmemx_req_t* req) {                  \
        shmemx_##NAME##F(fetch, source, pe, req);                                                  \
    }                                                                                              \
    inline void shmemx##F(shmem_ctx_t ctx, T* fetch, const T* source, int pe, shmemx_req_t* req) { \
        shmemx_ctx_##NAME##F(ctx, fetch, source, pe, req);                                         \
    }
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_req)
#undef SHMEM_INTERNAL_OVERLOAD

// With a result: ([ctx,] fetch, dest, value, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                        \
    inline void shmemx##F(T* fetch, T* dest, T value, int pe, shmemx_req_t* req) { \
        shmemx_##NAME##F(fetch, dest, value, pe, req);                             \
    }                                                                              \
    inline void shmemx##F(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe,     \
                          shmemx_req_t* req) {                                     \
        shmemx_ctx_##NAME##F(ctx, fetch, dest, value, pe, req);                    \
    }
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_swap_req)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_add_req)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_and_req)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_or_req)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_xor_req)
#undef SHMEM_INTERNAL_OVERLOAD

// shmemx_atomic_compare_swap_req([ctx,] fetch, dest, cond, value, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                \
    inline void shmemx##F(T* fetch, T* dest, T cond, T value, int pe, shmemx_req_t* req) { \
        shmemx_##NAME##F(fetch, dest, cond, value, pe, req);                               \
    }                                                                                      \
    inline void shmemx##F(shmem_ctx_t ctx, T* fetch, T* dest, T cond, T value, int pe,     \
                          shmemx_req_t* req) {                                             \
        shmemx_ctx_##NAME##F(ctx, fetch, dest, cond, value, pe, req);                      \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_compare_swap_req)
#undef SHMEM_INTERNAL_OVERLOAD

// shmemx_atomic_fetch_inc_req([ctx,] fetch, dest, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                \
    inline void shmemx##F(T* fetch, T* dest, int pe, shmemx_req_t* req) {                  \
        shmemx_##NAME##F(fetch, dest, pe, req);                                            \
    }                                                                                      \
    inline void shmemx##F(shmem_ctx_t ctx, T* fetch, T* dest, int pe, shmemx_req_t* req) { \
        shmemx_ctx_##NAME##F(ctx, fetch, dest, pe, req);                                   \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_inc_req)
#undef SHMEM_INTERNAL_OVERLOAD

// Without a result: ([ctx,] dest, value, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                               \
    inline void shmemx##F(T* dest, T value, int pe, shmemx_req_t* req) {                  \
        shmemx_##NAME##F(dest, value, pe, req);                                           \
    }                                                                                     \
    inline void shmemx##F(shmem_ctx_t ctx, T* dest, T value, int pe, shmemx_req_t* req) { \
        shmemx_ctx_##NAME##F(ctx, dest, value, pe, req);                                  \
    }
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_set_req)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_add_req)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_and_req)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_or_req)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_xor_req)
#undef SHMEM_INTERNAL_OVERLOAD

// shmemx_atomic_inc_req([ctx,] dest, pe, req)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                        \
    inline void shmemx##F(T* dest, int pe, shmemx_req_t* req) { shmemx_##NAME##F(dest, pe, req); } \
    inline void shmemx##F(shmem_ctx_t ctx, T* dest, int pe, shmemx_req_t* req) {                   \
        shmemx_ctx_##NAME##F(ctx, dest, pe, req);                                                  \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_inc_req)
#undef SHMEM_INTERNAL_OVERLOAD

}  // extern "C++"

#undef SHMEM_INTERNAL_BASIC_STD
#undef SHMEM_INTERNAL_BASIC_EXT
#undef SHMEM_INTERNAL_BASIC_RMA
#undef SHMEM_INTERNAL_BASIC_BIT

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

// SHMEM_INTERNAL_CALL_CTX of shmem/generic_c11.h for names with an x.
#define SHMEM_INTERNAL_CALL_CTX_X(TABLE, FAMILY, ...)                           \
    _Generic(SHMEM_INTERNAL_FIRST(__VA_ARGS__), shmem_ctx_t                     \
             : _Generic(SHMEM_INTERNAL_DATA(__VA_ARGS__),                       \
                        SHMEM_INTERNAL_ARMS_##TABLE(shmemx_ctx_, _##FAMILY, )), \
               default                                                          \
             : _Generic(SHMEM_INTERNAL_DATA(__VA_ARGS__),                       \
                        SHMEM_INTERNAL_ARMS_##TABLE(shmemx_, _##FAMILY, )))(__VA_ARGS__)

// ---- Requests (requests.h, request_atomics.h) -------------------------------------------------
#define shmemx_put_req(...) SHMEM_INTERNAL_CALL_CTX_X(RMA, put_req, __VA_ARGS__)
#define shmemx_get_req(...) SHMEM_INTERNAL_CALL_CTX_X(RMA, get_req, __VA_ARGS__)
#define shmemx_put_signal_req(...) SHMEM_INTERNAL_CALL_CTX_X(RMA, put_signal_req, __VA_ARGS__)
#define shmemx_atomic_fetch_req(...) SHMEM_INTERNAL_CALL_CTX_X(EXT, atomic_fetch_req, __VA_ARGS__)
#define shmemx_atomic_set_req(...) SHMEM_INTERNAL_CALL_CTX_X(EXT, atomic_set_req, __VA_ARGS__)
#define shmemx_atomic_swap_req(...) SHMEM_INTERNAL_CALL_CTX_X(EXT, atomic_swap_req, __VA_ARGS__)
#define shmemx_atomic_compare_swap_req(...) \
    SHMEM_INTERNAL_CALL_CTX_X(STD, atomic_compare_swap_req, __VA_ARGS__)
#define shmemx_atomic_fetch_inc_req(...) \
    SHMEM_INTERNAL_CALL_CTX_X(STD, atomic_fetch_inc_req, __VA_ARGS__)
#define shmemx_atomic_inc_req(...) SHMEM_INTERNAL_CALL_CTX_X(STD, atomic_inc_req, __VA_ARGS__)
#define shmemx_atomic_fetch_add_req(...) \
    SHMEM_INTERNAL_CALL_CTX_X(STD, atomic_fetch_add_req, __VA_ARGS__)
#define shmemx_atomic_add_req(...) SHMEM_INTERNAL_CALL_CTX_X(STD, atomic_add_req, __VA_ARGS__)
#define shmemx_atomic_fetch_and_req(...) \
    SHMEM_INTERNAL_CALL_CTX_X(BIT, atomic_fetch_and_req, __VA_ARGS__)
#define shmemx_atomic_and_req(...) SHMEM_INTERNAL_CALL_CTX_X(BIT, atomic_and_req, __VA_ARGS__)
#define shmemx_atomic_fetch_or_req(...) \
    SHMEM_INTERNAL_CALL_CTX_X(BIT, atomic_fetch_or_req, __VA_ARGS__)
#define shmemx_atomic_or_req(...) SHMEM_INTERNAL_CALL_CTX_X(BIT, atomic_or_req, __VA_ARGS__)
#define shmemx_atomic_fetch_xor_req(...) \
    SHMEM_INTERNAL_CALL_CTX_X(BIT, atomic_fetch_xor_req, __VA_ARGS__)
#define shmemx_atomic_xor_req(...) SHMEM_INTERNAL_CALL_CTX_X(BIT, atomic_xor_req, __VA_ARGS__)

#endif

#endif  // SHMEM_INTERNAL_SHMEMX_GENERIC_H
