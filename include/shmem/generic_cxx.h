// SPDX-License-Identifier: BSD-3-Clause
//
// The type-generic names in C++11 and later (see generic.h): inline overloads that forward to the
// routine of the type. The specification has no C++ interface of its own, these are an extension
// with the names and arguments of its C11 interface.
//
// Families with the same arguments and results share one SHMEM_INTERNAL_OVERLOAD, the overloads of
// one type; the lines below it name the families with their types. To add a family: one line.

#ifndef SHMEM_INTERNAL_GENERIC_CXX_H
#define SHMEM_INTERNAL_GENERIC_CXX_H

#if defined(__cplusplus)

#include "atomics.h"
#include "basic_types.h"
#include "collectives.h"
#include "contexts.h"
#include "deprecated.h"
#include "rma.h"
#include "signal.h"
#include "sync.h"
#include "teams.h"
#include "types.h"

// Signed types have only the exact-width bitwise reductions, char and long long have none.
#define SHMEM_INTERNAL_BASIC_RED_BIT(X, FAMILY) \
    SHMEM_INTERNAL_BASIC_BIT(X, FAMILY)         \
    X(FAMILY, int8, signed char)                \
    X(FAMILY, int16, short)                     \
    X(FAMILY, uchar, unsigned char)             \
    X(FAMILY, ushort, unsigned short)

// Sums, products and scans; max and min have the standard RMA types. The complex types are those of
// C, which compilers offer in C++; SHMEM_INTERNAL_COMPLEX adds std::complex.
#define SHMEM_INTERNAL_BASIC_RED_SP(X, FAMILY)   \
    SHMEM_INTERNAL_BASIC_RMA(X, FAMILY)          \
    X(FAMILY, complexd, shmem_internal_complexd) \
    X(FAMILY, complexf, shmem_internal_complexf)

// shmem_wait_until on long is the C function of that name (shmem/deprecated.h).
#define SHMEM_INTERNAL_BASIC_P2P_WITHOUT_LONG(X, FAMILY) \
    X(FAMILY, short, short)                              \
    X(FAMILY, ushort, unsigned short)                    \
    X(FAMILY, int, int)                                  \
    X(FAMILY, longlong, long long)                       \
    X(FAMILY, uint, unsigned int)                        \
    X(FAMILY, ulong, unsigned long)                      \
    X(FAMILY, ulonglong, unsigned long long)

#define SHMEM_INTERNAL_BASIC_P2P(X, FAMILY)          \
    SHMEM_INTERNAL_BASIC_P2P_WITHOUT_LONG(X, FAMILY) \
    X(FAMILY, long, long)

#define SHMEM_INTERNAL_BASIC_OLD_STD(X, FAMILY) \
    X(FAMILY, int, int)                         \
    X(FAMILY, long, long)                       \
    X(FAMILY, longlong, long long)

#define SHMEM_INTERNAL_BASIC_OLD_EXT(X, FAMILY) \
    SHMEM_INTERNAL_BASIC_OLD_STD(X, FAMILY)     \
    X(FAMILY, float, float)                     \
    X(FAMILY, double, double)

// A program may include <shmem.h> inside its own extern "C" block.
extern "C++" {

// ---- Remote memory access (shmem/rma.h) -------------------------------------------------------

// Contiguous: shmem_{put,get,put_nbi,get_nbi}([ctx,] dest, source, nelems, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                  \
    inline void shmem##F(T* dest, const T* source, size_t nelems, int pe) {                  \
        shmem_##NAME##F(dest, source, nelems, pe);                                           \
    }                                                                                        \
    inline void shmem##F(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems, int pe) { \
        shmem_ctx_##NAME##F(ctx, dest, source, nelems, pe);                                  \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _put)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _get)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _put_nbi)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _get_nbi)
#undef SHMEM_INTERNAL_OVERLOAD

// Strided: shmem_{iput,iget}([ctx,] dest, source, dst, sst, nelems, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                       \
    inline void shmem##F(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,   \
                         int pe) {                                                                \
        shmem_##NAME##F(dest, source, dst, sst, nelems, pe);                                      \
    }                                                                                             \
    inline void shmem##F(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, \
                         size_t nelems, int pe) {                                                 \
        shmem_ctx_##NAME##F(ctx, dest, source, dst, sst, nelems, pe);                             \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _iput)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _iget)
#undef SHMEM_INTERNAL_OVERLOAD

// Strided blocks: shmem_{ibput,ibget}([ctx,] dest, source, dst, sst, bsize, nblocks, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                       \
    inline void shmem##F(T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,    \
                         size_t nblocks, int pe) {                                                \
        shmem_##NAME##F(dest, source, dst, sst, bsize, nblocks, pe);                              \
    }                                                                                             \
    inline void shmem##F(shmem_ctx_t ctx, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, \
                         size_t bsize, size_t nblocks, int pe) {                                  \
        shmem_ctx_##NAME##F(ctx, dest, source, dst, sst, bsize, nblocks, pe);                     \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _ibput)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _ibget)
#undef SHMEM_INTERNAL_OVERLOAD

// ---- One value in, nothing out: ([ctx,] dest, value, pe) --------------------------------------

#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                              \
    inline void shmem##F(T* dest, T value, int pe) { shmem_##NAME##F(dest, value, pe); } \
    inline void shmem##F(shmem_ctx_t ctx, T* dest, T value, int pe) {                    \
        shmem_ctx_##NAME##F(ctx, dest, value, pe);                                       \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _p)
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_set)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_add)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_and)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_or)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_xor)
#undef SHMEM_INTERNAL_OVERLOAD

// ---- Nothing in, one value out: ([ctx,] source, pe) -------------------------------------------

#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                            \
    inline T shmem##F(const T* source, int pe) { return shmem_##NAME##F(source, pe); } \
    inline T shmem##F(shmem_ctx_t ctx, const T* source, int pe) {                      \
        return shmem_ctx_##NAME##F(ctx, source, pe);                                   \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _g)
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch)
#undef SHMEM_INTERNAL_OVERLOAD

// ---- Atomics (shmem/atomics.h) ----------------------------------------------------------------

// One value in, the old value out: ([ctx,] dest, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                  \
    inline T shmem##F(T* dest, T value, int pe) { return shmem_##NAME##F(dest, value, pe); } \
    inline T shmem##F(shmem_ctx_t ctx, T* dest, T value, int pe) {                           \
        return shmem_ctx_##NAME##F(ctx, dest, value, pe);                                    \
    }
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_swap)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_add)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_and)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_or)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_xor)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_atomic_compare_swap([ctx,] dest, cond, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                \
    inline T shmem##F(T* dest, T cond, T value, int pe) {                  \
        return shmem_##NAME##F(dest, cond, value, pe);                     \
    }                                                                      \
    inline T shmem##F(shmem_ctx_t ctx, T* dest, T cond, T value, int pe) { \
        return shmem_ctx_##NAME##F(ctx, dest, cond, value, pe);            \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_compare_swap)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_atomic_inc([ctx,] dest, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                              \
    inline void shmem##F(T* dest, int pe) { shmem_##NAME##F(dest, pe); } \
    inline void shmem##F(shmem_ctx_t ctx, T* dest, int pe) { shmem_ctx_##NAME##F(ctx, dest, pe); }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_inc)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_atomic_fetch_inc([ctx,] dest, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                  \
    inline T shmem##F(T* dest, int pe) { return shmem_##NAME##F(dest, pe); } \
    inline T shmem##F(shmem_ctx_t ctx, T* dest, int pe) {                    \
        return shmem_ctx_##NAME##F(ctx, dest, pe);                           \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_inc)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_atomic_fetch_nbi([ctx,] fetch, source, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                    \
    inline void shmem##F(T* fetch, const T* source, int pe) {                  \
        shmem_##NAME##F(fetch, source, pe);                                    \
    }                                                                          \
    inline void shmem##F(shmem_ctx_t ctx, T* fetch, const T* source, int pe) { \
        shmem_ctx_##NAME##F(ctx, fetch, source, pe);                           \
    }
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_nbi)
#undef SHMEM_INTERNAL_OVERLOAD

// One value in, the old value out later: ([ctx,] fetch, dest, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                     \
    inline void shmem##F(T* fetch, T* dest, T value, int pe) {                  \
        shmem_##NAME##F(fetch, dest, value, pe);                                \
    }                                                                           \
    inline void shmem##F(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) { \
        shmem_ctx_##NAME##F(ctx, fetch, dest, value, pe);                       \
    }
SHMEM_INTERNAL_BASIC_EXT(SHMEM_INTERNAL_OVERLOAD, _atomic_swap_nbi)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_add_nbi)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_and_nbi)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_or_nbi)
SHMEM_INTERNAL_BASIC_BIT(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_xor_nbi)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_atomic_compare_swap_nbi([ctx,] fetch, dest, cond, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                             \
    inline void shmem##F(T* fetch, T* dest, T cond, T value, int pe) {                  \
        shmem_##NAME##F(fetch, dest, cond, value, pe);                                  \
    }                                                                                   \
    inline void shmem##F(shmem_ctx_t ctx, T* fetch, T* dest, T cond, T value, int pe) { \
        shmem_ctx_##NAME##F(ctx, fetch, dest, cond, value, pe);                         \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_compare_swap_nbi)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_atomic_fetch_inc_nbi([ctx,] fetch, dest, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                               \
    inline void shmem##F(T* fetch, T* dest, int pe) { shmem_##NAME##F(fetch, dest, pe); } \
    inline void shmem##F(shmem_ctx_t ctx, T* fetch, T* dest, int pe) {                    \
        shmem_ctx_##NAME##F(ctx, fetch, dest, pe);                                        \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _atomic_fetch_inc_nbi)
#undef SHMEM_INTERNAL_OVERLOAD

// ---- Signaling (shmem/signal.h) ---------------------------------------------------------------

// shmem_put_signal[_nbi]([ctx,] dest, source, nelems, sig_addr, signal, sig_op, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                           \
    inline void shmem##F(T* dest, const T* source, size_t nelems, uint64_t* sig_addr, \
                         uint64_t signal, int sig_op, int pe) {                       \
        shmem_##NAME##F(dest, source, nelems, sig_addr, signal, sig_op, pe);          \
    }                                                                                 \
    inline void shmem##F(shmem_ctx_t ctx, T* dest, const T* source, size_t nelems,    \
                         uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) {   \
        shmem_ctx_##NAME##F(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe); \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _put_signal)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _put_signal_nbi)
#undef SHMEM_INTERNAL_OVERLOAD

// Without a context these are the C functions of the same name.
inline void shmem_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    shmem_ctx_signal_add(ctx, sig_addr, signal, pe);
}
inline void shmem_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}

// ---- Collectives (shmem/collectives.h) --------------------------------------------------------

// With four arguments this is the C function of the same name (shmem/deprecated.h).
inline int shmem_sync(shmem_team_t team) { return shmem_team_sync(team); }

// One count: NAME(team, dest, source, nelems)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                           \
    inline int shmem##F(shmem_team_t team, T* dest, const T* source, size_t nelems) { \
        return shmem_##NAME##F(team, dest, source, nelems);                           \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _alltoall)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _collect)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _fcollect)
SHMEM_INTERNAL_BASIC_RED_BIT(SHMEM_INTERNAL_OVERLOAD, _and_reduce)
SHMEM_INTERNAL_BASIC_RED_BIT(SHMEM_INTERNAL_OVERLOAD, _or_reduce)
SHMEM_INTERNAL_BASIC_RED_BIT(SHMEM_INTERNAL_OVERLOAD, _xor_reduce)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _max_reduce)
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _min_reduce)
SHMEM_INTERNAL_BASIC_RED_SP(SHMEM_INTERNAL_OVERLOAD, _sum_reduce)
SHMEM_INTERNAL_BASIC_RED_SP(SHMEM_INTERNAL_OVERLOAD, _prod_reduce)
SHMEM_INTERNAL_BASIC_RED_SP(SHMEM_INTERNAL_OVERLOAD, _sum_inscan)
SHMEM_INTERNAL_BASIC_RED_SP(SHMEM_INTERNAL_OVERLOAD, _sum_exscan)
#undef SHMEM_INTERNAL_OVERLOAD

// Complex numbers in C++ are classes of two numbers, the latter of which imag() gives. <complex> is
// not needed here, and such classes of other libraries fit, too. Never called:
shmem_internal_complexd shmem_internal_complex(double);
shmem_internal_complexf shmem_internal_complex(float);
#define SHMEM_INTERNAL_COMPLEX(F)                                                             \
    template <class C,                                                                        \
              class T = decltype(shmem_internal_complex((*static_cast<C*>(nullptr)).imag()))> \
    inline int shmem##F(shmem_team_t team, C* dest, const C* source, size_t nelems) {         \
        static_assert(sizeof(C) == sizeof(T), "a complex number is two numbers");             \
        return shmem##F(team, reinterpret_cast<T*>(dest), reinterpret_cast<const T*>(source), \
                        nelems);                                                              \
    }
SHMEM_INTERNAL_COMPLEX(_sum_reduce)
SHMEM_INTERNAL_COMPLEX(_prod_reduce)
SHMEM_INTERNAL_COMPLEX(_sum_inscan)
SHMEM_INTERNAL_COMPLEX(_sum_exscan)
#undef SHMEM_INTERNAL_COMPLEX

// shmem_alltoalls(team, dest, source, dst, sst, nelems)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                        \
    inline int shmem##F(shmem_team_t team, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, \
                        size_t nelems) {                                                           \
        return shmem_##NAME##F(team, dest, source, dst, sst, nelems);                              \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _alltoalls)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_broadcast(team, dest, source, nelems, PE_root)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                        \
    inline int shmem##F(shmem_team_t team, T* dest, const T* source, size_t nelems, int PE_root) { \
        return shmem_##NAME##F(team, dest, source, nelems, PE_root);                               \
    }
SHMEM_INTERNAL_BASIC_RMA(SHMEM_INTERNAL_OVERLOAD, _broadcast)
#undef SHMEM_INTERNAL_OVERLOAD

// ---- Point-to-point synchronization (shmem/sync.h) --------------------------------------------

// shmem_wait_until(ivar, cmp, cmp_value)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) \
    inline void shmem##F(T* ivar, int cmp, T cmp_value) { shmem_##NAME##F(ivar, cmp, cmp_value); }
SHMEM_INTERNAL_BASIC_P2P_WITHOUT_LONG(SHMEM_INTERNAL_OVERLOAD, _wait_until)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_test(ivar, cmp, cmp_value)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)              \
    inline int shmem##F(T* ivar, int cmp, T cmp_value) { \
        return shmem_##NAME##F(ivar, cmp, cmp_value);    \
    }
SHMEM_INTERNAL_BASIC_P2P(SHMEM_INTERNAL_OVERLOAD, _test)
#undef SHMEM_INTERNAL_OVERLOAD

// Arrays: NAME(ivars, nelems, status, cmp, cmp_value), NAME_vector(..., cmp_values)
#define SHMEM_INTERNAL_ARRAYS(RESULT, F, NAME, T)                                              \
    inline RESULT shmem##F(T* ivars, size_t nelems, const int* status, int cmp, T cmp_value) { \
        return shmem_##NAME##F(ivars, nelems, status, cmp, cmp_value);                         \
    }                                                                                          \
    inline RESULT shmem##F##_vector(T* ivars, size_t nelems, const int* status, int cmp,       \
                                    const T* cmp_values) {                                     \
        return shmem_##NAME##F##_vector(ivars, nelems, status, cmp, cmp_values);               \
    }

// shmem_wait_until_all, shmem_wait_until_all_vector
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) SHMEM_INTERNAL_ARRAYS(void, F, NAME, T)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _wait_until_all)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_test_all, shmem_test_all_vector
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) SHMEM_INTERNAL_ARRAYS(int, F, NAME, T)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _test_all)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_wait_until_any, shmem_wait_until_any_vector, shmem_test_any, shmem_test_any_vector
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) SHMEM_INTERNAL_ARRAYS(size_t, F, NAME, T)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _wait_until_any)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _test_any)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_{wait_until,test}_some[_vector](ivars, nelems, indices, status, cmp, cmp_value[s])
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)                                                      \
    inline size_t shmem##F(T* ivars, size_t nelems, size_t* indices, const int* status, int cmp, \
                           T cmp_value) {                                                        \
        return shmem_##NAME##F(ivars, nelems, indices, status, cmp, cmp_value);                  \
    }                                                                                            \
    inline size_t shmem##F##_vector(T* ivars, size_t nelems, size_t* indices, const int* status, \
                                    int cmp, const T* cmp_values) {                              \
        return shmem_##NAME##F##_vector(ivars, nelems, indices, status, cmp, cmp_values);        \
    }
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _wait_until_some)
SHMEM_INTERNAL_BASIC_STD(SHMEM_INTERNAL_OVERLOAD, _test_some)
#undef SHMEM_INTERNAL_OVERLOAD

// ---- Deprecated atomics (shmem/deprecated.h) --------------------------------------------------

// shmem_fetch(source, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) \
    inline T shmem##F(const T* source, int pe) { return shmem_##NAME##F(source, pe); }
SHMEM_INTERNAL_BASIC_OLD_EXT(SHMEM_INTERNAL_OVERLOAD, _fetch)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_{set,add}(dest, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) \
    inline void shmem##F(T* dest, T value, int pe) { shmem_##NAME##F(dest, value, pe); }
SHMEM_INTERNAL_BASIC_OLD_EXT(SHMEM_INTERNAL_OVERLOAD, _set)
SHMEM_INTERNAL_BASIC_OLD_STD(SHMEM_INTERNAL_OVERLOAD, _add)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_{swap,fadd}(dest, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) \
    inline T shmem##F(T* dest, T value, int pe) { return shmem_##NAME##F(dest, value, pe); }
SHMEM_INTERNAL_BASIC_OLD_EXT(SHMEM_INTERNAL_OVERLOAD, _swap)
SHMEM_INTERNAL_BASIC_OLD_STD(SHMEM_INTERNAL_OVERLOAD, _fadd)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_cswap(dest, cond, value, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T)               \
    inline T shmem##F(T* dest, T cond, T value, int pe) { \
        return shmem_##NAME##F(dest, cond, value, pe);    \
    }
SHMEM_INTERNAL_BASIC_OLD_STD(SHMEM_INTERNAL_OVERLOAD, _cswap)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_finc(dest, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) \
    inline T shmem##F(T* dest, int pe) { return shmem_##NAME##F(dest, pe); }
SHMEM_INTERNAL_BASIC_OLD_STD(SHMEM_INTERNAL_OVERLOAD, _finc)
#undef SHMEM_INTERNAL_OVERLOAD

// shmem_inc(dest, pe)
#define SHMEM_INTERNAL_OVERLOAD(F, NAME, T) \
    inline void shmem##F(T* dest, int pe) { shmem_##NAME##F(dest, pe); }
SHMEM_INTERNAL_BASIC_OLD_STD(SHMEM_INTERNAL_OVERLOAD, _inc)
#undef SHMEM_INTERNAL_OVERLOAD

}  // extern "C++"

#undef SHMEM_INTERNAL_ARRAYS
#undef SHMEM_INTERNAL_BASIC_STD
#undef SHMEM_INTERNAL_BASIC_EXT
#undef SHMEM_INTERNAL_BASIC_RMA
#undef SHMEM_INTERNAL_BASIC_BIT
#undef SHMEM_INTERNAL_BASIC_RED_BIT
#undef SHMEM_INTERNAL_BASIC_RED_SP
#undef SHMEM_INTERNAL_BASIC_P2P_WITHOUT_LONG
#undef SHMEM_INTERNAL_BASIC_P2P
#undef SHMEM_INTERNAL_BASIC_OLD_STD
#undef SHMEM_INTERNAL_BASIC_OLD_EXT

#endif  // C++

#endif  // SHMEM_INTERNAL_GENERIC_CXX_H
