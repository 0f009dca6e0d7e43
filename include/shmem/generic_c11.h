// SPDX-License-Identifier: BSD-3-Clause
//
// The type-generic names in C11 and later (see generic.h). Each is a function-like macro that picks
// the routine with _Generic, in the caller's code, and calls it with the caller's arguments; the
// arguments are evaluated once. A pointer of a type that the routine does not have is a compile
// error, "not compatible with any association".
//
// Everything else here serves these macros. It stays defined, since they expand where they are
// used. To add a generic name: one line at the end.

#ifndef SHMEM_INTERNAL_GENERIC_C11_H
#define SHMEM_INTERNAL_GENERIC_C11_H

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

// Four names are functions too, and have to be declared before they become macros.
#include "atomics.h"
#include "collectives.h"
#include "contexts.h"
#include "deprecated.h"
#include "rma.h"
#include "signal.h"
#include "sync.h"
#include "teams.h"

// An association is read across, its type and its routine on one line; so the formatter is off.
// clang-format off

// The associations of _Generic: a pointer to a Q-qualified type, and the routine to call for it,
// PREFIX TYPENAME SUFFIX. First the standard atomic types and all point-to-point synchronization.
#define SHMEM_INTERNAL_ARMS_STD(PREFIX, SUFFIX, Q)          \
    Q int*: PREFIX##int##SUFFIX,                            \
    Q long*: PREFIX##long##SUFFIX,                          \
    Q long long*: PREFIX##longlong##SUFFIX,                 \
    Q unsigned int*: PREFIX##uint##SUFFIX,                  \
    Q unsigned long*: PREFIX##ulong##SUFFIX,                \
    Q unsigned long long*: PREFIX##ulonglong##SUFFIX

// Standard RMA types.
#define SHMEM_INTERNAL_ARMS_RMA(PREFIX, SUFFIX, Q)          \
    SHMEM_INTERNAL_ARMS_STD(PREFIX, SUFFIX, Q),             \
    Q float*: PREFIX##float##SUFFIX,                        \
    Q double*: PREFIX##double##SUFFIX,                      \
    Q long double*: PREFIX##longdouble##SUFFIX,             \
    Q char*: PREFIX##char##SUFFIX,                          \
    Q signed char*: PREFIX##schar##SUFFIX,                  \
    Q short*: PREFIX##short##SUFFIX,                        \
    Q unsigned char*: PREFIX##uchar##SUFFIX,                \
    Q unsigned short*: PREFIX##ushort##SUFFIX

// Extended atomic types.
#define SHMEM_INTERNAL_ARMS_EXT(PREFIX, SUFFIX, Q)          \
    SHMEM_INTERNAL_ARMS_STD(PREFIX, SUFFIX, Q),             \
    Q float*: PREFIX##float##SUFFIX,                        \
    Q double*: PREFIX##double##SUFFIX

// Bitwise atomic types: int and long have only the exact-width routines, long long has none.
#define SHMEM_INTERNAL_ARMS_BIT(PREFIX, SUFFIX, Q)          \
    Q int*: PREFIX##int32##SUFFIX,                          \
    Q long*: PREFIX##int64##SUFFIX,                         \
    Q unsigned int*: PREFIX##uint##SUFFIX,                  \
    Q unsigned long*: PREFIX##ulong##SUFFIX,                \
    Q unsigned long long*: PREFIX##ulonglong##SUFFIX

// wait_until and test: the standard atomic types, and the deprecated short ones.
#define SHMEM_INTERNAL_ARMS_P2P(PREFIX, SUFFIX, Q)          \
    SHMEM_INTERNAL_ARMS_STD(PREFIX, SUFFIX, Q),             \
    Q short*: PREFIX##short##SUFFIX,                        \
    Q unsigned short*: PREFIX##ushort##SUFFIX

// Bitwise reductions: signed types have only the exact-width routines, char and long long none.
#define SHMEM_INTERNAL_ARMS_RED_BIT(PREFIX, SUFFIX, Q)      \
    SHMEM_INTERNAL_ARMS_BIT(PREFIX, SUFFIX, Q),             \
    Q signed char*: PREFIX##int8##SUFFIX,                   \
    Q short*: PREFIX##int16##SUFFIX,                        \
    Q unsigned char*: PREFIX##uchar##SUFFIX,                \
    Q unsigned short*: PREFIX##ushort##SUFFIX

// Sums, products and scans; max and min have the standard RMA types.
#define SHMEM_INTERNAL_ARMS_RED_SP(PREFIX, SUFFIX, Q)       \
    SHMEM_INTERNAL_ARMS_RMA(PREFIX, SUFFIX, Q),             \
    Q double _Complex*: PREFIX##complexd##SUFFIX,           \
    Q float _Complex*: PREFIX##complexf##SUFFIX

// Deprecated atomics.
#define SHMEM_INTERNAL_ARMS_OLD_STD(PREFIX, SUFFIX, Q)      \
    Q int*: PREFIX##int##SUFFIX,                            \
    Q long*: PREFIX##long##SUFFIX,                          \
    Q long long*: PREFIX##longlong##SUFFIX

#define SHMEM_INTERNAL_ARMS_OLD_EXT(PREFIX, SUFFIX, Q)      \
    SHMEM_INTERNAL_ARMS_OLD_STD(PREFIX, SUFFIX, Q),         \
    Q float*: PREFIX##float##SUFFIX,                        \
    Q double*: PREFIX##double##SUFFIX

// Routines that choose by a source, which may be const or not.
#define SHMEM_INTERNAL_ARMS_RMA_READ(PREFIX, SUFFIX, Q)     \
    SHMEM_INTERNAL_ARMS_RMA(PREFIX, SUFFIX, ),              \
    SHMEM_INTERNAL_ARMS_RMA(PREFIX, SUFFIX, const)
#define SHMEM_INTERNAL_ARMS_EXT_READ(PREFIX, SUFFIX, Q)     \
    SHMEM_INTERNAL_ARMS_EXT(PREFIX, SUFFIX, ),              \
    SHMEM_INTERNAL_ARMS_EXT(PREFIX, SUFFIX, const)
#define SHMEM_INTERNAL_ARMS_OLD_EXT_READ(PREFIX, SUFFIX, Q) \
    SHMEM_INTERNAL_ARMS_OLD_EXT(PREFIX, SUFFIX, ),          \
    SHMEM_INTERNAL_ARMS_OLD_EXT(PREFIX, SUFFIX, const)

// Arguments by position. The zeros give the "..." below something to take; they are never used.
#define SHMEM_INTERNAL_FIRST(...) SHMEM_INTERNAL_FIRST_OF(__VA_ARGS__, 0)
#define SHMEM_INTERNAL_FIRST_OF(A, ...) (A)
#define SHMEM_INTERNAL_SECOND(...) SHMEM_INTERNAL_SECOND_OF(__VA_ARGS__, 0, 0)
#define SHMEM_INTERNAL_SECOND_OF(A, B, ...) (B)

// The first argument that is not a context. It is an operand of _Generic only, never evaluated.
#define SHMEM_INTERNAL_DATA(...)                                              \
    _Generic(SHMEM_INTERNAL_FIRST(__VA_ARGS__),                               \
             shmem_ctx_t: SHMEM_INTERNAL_SECOND(__VA_ARGS__),                 \
             default: SHMEM_INTERNAL_FIRST(__VA_ARGS__))

// Calls shmem_TYPENAME_FAMILY by the type of the first argument. FAMILY is pasted before it can be
// expanded, so that a program may have macros of its own named put, g or set.
#define SHMEM_INTERNAL_CALL(TABLE, FAMILY, ...)                               \
    _Generic(SHMEM_INTERNAL_FIRST(__VA_ARGS__),                               \
             SHMEM_INTERNAL_ARMS_##TABLE(shmem_, _##FAMILY, ))(__VA_ARGS__)

// Calls shmem_TYPENAME_FAMILY by the type of the second argument, which is behind a team.
#define SHMEM_INTERNAL_CALL_TEAM(TABLE, FAMILY, ...)                          \
    _Generic(SHMEM_INTERNAL_SECOND(__VA_ARGS__),                              \
             SHMEM_INTERNAL_ARMS_##TABLE(shmem_, _##FAMILY, ))(__VA_ARGS__)

// Calls shmem_ctx_TYPENAME_FAMILY if the first argument is a context, shmem_TYPENAME_FAMILY if not.
#define SHMEM_INTERNAL_CALL_CTX(TABLE, FAMILY, ...)                           \
    _Generic(SHMEM_INTERNAL_FIRST(__VA_ARGS__),                               \
             shmem_ctx_t: _Generic(SHMEM_INTERNAL_DATA(__VA_ARGS__),          \
                 SHMEM_INTERNAL_ARMS_##TABLE(shmem_ctx_, _##FAMILY, )),       \
             default: _Generic(SHMEM_INTERNAL_DATA(__VA_ARGS__),              \
                 SHMEM_INTERNAL_ARMS_##TABLE(shmem_, _##FAMILY, )))(__VA_ARGS__)

// Calls shmem_ctx_FAMILY if the first argument is a context, the function shmem_FAMILY if not.
#define SHMEM_INTERNAL_CALL_CTX_OR_FUNCTION(FAMILY, ...)                      \
    _Generic(SHMEM_INTERNAL_FIRST(__VA_ARGS__),                               \
             shmem_ctx_t: shmem_ctx_##FAMILY,                                 \
             default: shmem_##FAMILY)(__VA_ARGS__)

// Calls shmem_team_FAMILY if the first argument is a team, the function shmem_FAMILY if not.
#define SHMEM_INTERNAL_CALL_TEAM_OR_FUNCTION(FAMILY, ...)                     \
    _Generic(SHMEM_INTERNAL_FIRST(__VA_ARGS__),                               \
             shmem_team_t: shmem_team_##FAMILY,                               \
             default: shmem_##FAMILY)(__VA_ARGS__)

// clang-format on

// ---- Remote memory access (shmem/rma.h) -------------------------------------------------------
#define shmem_put(...) SHMEM_INTERNAL_CALL_CTX(RMA, put, __VA_ARGS__)
#define shmem_p(...) SHMEM_INTERNAL_CALL_CTX(RMA, p, __VA_ARGS__)
#define shmem_iput(...) SHMEM_INTERNAL_CALL_CTX(RMA, iput, __VA_ARGS__)
#define shmem_ibput(...) SHMEM_INTERNAL_CALL_CTX(RMA, ibput, __VA_ARGS__)
#define shmem_get(...) SHMEM_INTERNAL_CALL_CTX(RMA, get, __VA_ARGS__)
#define shmem_g(...) SHMEM_INTERNAL_CALL_CTX(RMA_READ, g, __VA_ARGS__)
#define shmem_iget(...) SHMEM_INTERNAL_CALL_CTX(RMA, iget, __VA_ARGS__)
#define shmem_ibget(...) SHMEM_INTERNAL_CALL_CTX(RMA, ibget, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEM_INTERNAL_CALL_CTX(RMA, put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEM_INTERNAL_CALL_CTX(RMA, get_nbi, __VA_ARGS__)

// ---- Atomics (shmem/atomics.h) ----------------------------------------------------------------
#define shmem_atomic_fetch(...) SHMEM_INTERNAL_CALL_CTX(EXT_READ, atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) SHMEM_INTERNAL_CALL_CTX(EXT, atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) SHMEM_INTERNAL_CALL_CTX(EXT, atomic_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) \
    SHMEM_INTERNAL_CALL_CTX(STD, atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEM_INTERNAL_CALL_CTX(STD, atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_inc(...) SHMEM_INTERNAL_CALL_CTX(STD, atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEM_INTERNAL_CALL_CTX(STD, atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_add(...) SHMEM_INTERNAL_CALL_CTX(STD, atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEM_INTERNAL_CALL_CTX(BIT, atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_and(...) SHMEM_INTERNAL_CALL_CTX(BIT, atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEM_INTERNAL_CALL_CTX(BIT, atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_or(...) SHMEM_INTERNAL_CALL_CTX(BIT, atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEM_INTERNAL_CALL_CTX(BIT, atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_xor(...) SHMEM_INTERNAL_CALL_CTX(BIT, atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) SHMEM_INTERNAL_CALL_CTX(EXT, atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEM_INTERNAL_CALL_CTX(EXT, atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) \
    SHMEM_INTERNAL_CALL_CTX(STD, atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) \
    SHMEM_INTERNAL_CALL_CTX(STD, atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) \
    SHMEM_INTERNAL_CALL_CTX(STD, atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) \
    SHMEM_INTERNAL_CALL_CTX(BIT, atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) \
    SHMEM_INTERNAL_CALL_CTX(BIT, atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) \
    SHMEM_INTERNAL_CALL_CTX(BIT, atomic_fetch_xor_nbi, __VA_ARGS__)

// ---- Signaling (shmem/signal.h) ---------------------------------------------------------------
#define shmem_put_signal(...) SHMEM_INTERNAL_CALL_CTX(RMA, put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEM_INTERNAL_CALL_CTX(RMA, put_signal_nbi, __VA_ARGS__)
#define shmem_signal_add(...) SHMEM_INTERNAL_CALL_CTX_OR_FUNCTION(signal_add, __VA_ARGS__)
#define shmem_signal_set(...) SHMEM_INTERNAL_CALL_CTX_OR_FUNCTION(signal_set, __VA_ARGS__)

// ---- Collectives (shmem/collectives.h) --------------------------------------------------------
// With one argument, a team, the routine of the team; with four the deprecated function.
#define shmem_sync(...) SHMEM_INTERNAL_CALL_TEAM_OR_FUNCTION(sync, __VA_ARGS__)
#define shmem_alltoall(...) SHMEM_INTERNAL_CALL_TEAM(RMA, alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) SHMEM_INTERNAL_CALL_TEAM(RMA, alltoalls, __VA_ARGS__)
#define shmem_broadcast(...) SHMEM_INTERNAL_CALL_TEAM(RMA, broadcast, __VA_ARGS__)
#define shmem_collect(...) SHMEM_INTERNAL_CALL_TEAM(RMA, collect, __VA_ARGS__)
#define shmem_fcollect(...) SHMEM_INTERNAL_CALL_TEAM(RMA, fcollect, __VA_ARGS__)
#define shmem_and_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RED_BIT, and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RED_BIT, or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RED_BIT, xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RMA, max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RMA, min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RED_SP, sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEM_INTERNAL_CALL_TEAM(RED_SP, prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...) SHMEM_INTERNAL_CALL_TEAM(RED_SP, sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...) SHMEM_INTERNAL_CALL_TEAM(RED_SP, sum_exscan, __VA_ARGS__)

// ---- Point-to-point synchronization (shmem/sync.h) --------------------------------------------
#define shmem_wait_until(...) SHMEM_INTERNAL_CALL(P2P, wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...) SHMEM_INTERNAL_CALL(STD, wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) SHMEM_INTERNAL_CALL(STD, wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) SHMEM_INTERNAL_CALL(STD, wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) \
    SHMEM_INTERNAL_CALL(STD, wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) \
    SHMEM_INTERNAL_CALL(STD, wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) \
    SHMEM_INTERNAL_CALL(STD, wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...) SHMEM_INTERNAL_CALL(P2P, test, __VA_ARGS__)
#define shmem_test_all(...) SHMEM_INTERNAL_CALL(STD, test_all, __VA_ARGS__)
#define shmem_test_any(...) SHMEM_INTERNAL_CALL(STD, test_any, __VA_ARGS__)
#define shmem_test_some(...) SHMEM_INTERNAL_CALL(STD, test_some, __VA_ARGS__)
#define shmem_test_all_vector(...) SHMEM_INTERNAL_CALL(STD, test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) SHMEM_INTERNAL_CALL(STD, test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) SHMEM_INTERNAL_CALL(STD, test_some_vector, __VA_ARGS__)

// ---- Deprecated atomics (shmem/deprecated.h) --------------------------------------------------
#define shmem_fetch(...) SHMEM_INTERNAL_CALL(OLD_EXT_READ, fetch, __VA_ARGS__)
#define shmem_set(...) SHMEM_INTERNAL_CALL(OLD_EXT, set, __VA_ARGS__)
#define shmem_swap(...) SHMEM_INTERNAL_CALL(OLD_EXT, swap, __VA_ARGS__)
#define shmem_cswap(...) SHMEM_INTERNAL_CALL(OLD_STD, cswap, __VA_ARGS__)
#define shmem_finc(...) SHMEM_INTERNAL_CALL(OLD_STD, finc, __VA_ARGS__)
#define shmem_inc(...) SHMEM_INTERNAL_CALL(OLD_STD, inc, __VA_ARGS__)
#define shmem_fadd(...) SHMEM_INTERNAL_CALL(OLD_STD, fadd, __VA_ARGS__)
#define shmem_add(...) SHMEM_INTERNAL_CALL(OLD_STD, add, __VA_ARGS__)

#endif  // C11

#endif  // SHMEM_INTERNAL_GENERIC_C11_H
