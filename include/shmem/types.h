// SPDX-License-Identifier: BSD-3-Clause
//
// The type tables: the one place that says which C types a family of routines has. Each table of
// the OpenSHMEM 1.6 specification is one macro that calls X(TYPENAME, TYPE) once per row, and every
// declaration, overload, definition and test of a typed routine is an expansion of one of them.
//
// Included by every part of <shmem.h>. The tables are the implementation's, not the user's:
// <shmem.h> and <pshmem.h> remove them again at their end (shmem/tables_end.h), except when
// SHMEM_INTERNAL_TYPE_TABLES is defined first, as the library's own sources do. Including this
// file again brings removed tables back.
//
// All names here begin with SHMEM_INTERNAL_ or shmem_internal_, the one prefix of everything in
// our headers that is not a name of the specification (OpenSHMEM 1.6, 5).

#ifndef SHMEM_INTERNAL_TYPES_H
#define SHMEM_INTERNAL_TYPES_H

// Programs use size_t, ptrdiff_t, uint64_t and SIZE_MAX with nothing but <shmem.h> included.
#include <stddef.h>
#include <stdint.h>

// The C11 and C++ interfaces know the exact-width types as aliases of the LP64 basic types.
#if !defined(__LP64__)
#error "Tessera supports LP64 systems only (64-bit long and pointers)."
#endif

// No routine throws an exception; callers need no code for one. For clang the attribute is part of
// the routine's type in C++, so clang would warn of a profiling tool that defines it without.
#if defined(__clang__) && defined(__cplusplus)
#define SHMEM_INTERNAL_NOTHROW
#else
#define SHMEM_INTERNAL_NOTHROW __attribute__((__nothrow__))
#endif

// Handles as constants, by the casts of each language: -Wold-style-cast finds nothing in programs.
#ifdef __cplusplus
#define SHMEM_INTERNAL_HANDLE(T, NUMBER) (reinterpret_cast<T>(NUMBER))
#define SHMEM_INTERNAL_NO_HANDLE(T) (static_cast<T>(nullptr))
#else
#define SHMEM_INTERNAL_HANDLE(T, NUMBER) ((T)NUMBER)
#define SHMEM_INTERNAL_NO_HANDLE(T) ((T)0)
#endif

// double _Complex and float _Complex under names that -pedantic C++ accepts too.
__extension__ typedef double _Complex shmem_internal_complexd;
__extension__ typedef float _Complex shmem_internal_complexf;

#endif  // SHMEM_INTERNAL_TYPES_H

#ifndef SHMEM_INTERNAL_RMA_TYPES

// ---- The tables in use, OpenSHMEM 1.6 -------------------------------------------------------

// Standard RMA types (24): put, get and their kin, put-with-signal, data-moving collectives.
#define SHMEM_INTERNAL_RMA_TYPES(X)  \
    X(float, float)                  \
    X(double, double)                \
    X(longdouble, long double)       \
    X(char, char)                    \
    X(schar, signed char)            \
    X(short, short)                  \
    X(int, int)                      \
    X(long, long)                    \
    X(longlong, long long)           \
    X(uchar, unsigned char)          \
    X(ushort, unsigned short)        \
    X(uint, unsigned int)            \
    X(ulong, unsigned long)          \
    X(ulonglong, unsigned long long) \
    X(int8, int8_t)                  \
    X(int16, int16_t)                \
    X(int32, int32_t)                \
    X(int64, int64_t)                \
    X(uint8, uint8_t)                \
    X(uint16, uint16_t)              \
    X(uint32, uint32_t)              \
    X(uint64, uint64_t)              \
    X(size, size_t)                  \
    X(ptrdiff, ptrdiff_t)

// Standard atomic types (12): compare_swap, inc, add; also all point-to-point synchronization.
#define SHMEM_INTERNAL_AMO_STD_TYPES(X) \
    X(int, int)                         \
    X(long, long)                       \
    X(longlong, long long)              \
    X(uint, unsigned int)               \
    X(ulong, unsigned long)             \
    X(ulonglong, unsigned long long)    \
    X(int32, int32_t)                   \
    X(int64, int64_t)                   \
    X(uint32, uint32_t)                 \
    X(uint64, uint64_t)                 \
    X(size, size_t)                     \
    X(ptrdiff, ptrdiff_t)

// Extended atomic types (14): fetch, set, swap.
#define SHMEM_INTERNAL_AMO_EXT_TYPES(X) \
    X(float, float)                     \
    X(double, double)                   \
    SHMEM_INTERNAL_AMO_STD_TYPES(X)

// Bitwise atomic types (7): and, or, xor. Signed types exist here by exact width only.
#define SHMEM_INTERNAL_AMO_BIT_TYPES(X) \
    X(uint, unsigned int)               \
    X(ulong, unsigned long)             \
    X(ulonglong, unsigned long long)    \
    X(int32, int32_t)                   \
    X(int64, int64_t)                   \
    X(uint32, uint32_t)                 \
    X(uint64, uint64_t)

// Team reductions AND, OR, XOR (14). Signed types exist here by exact width only.
#define SHMEM_INTERNAL_RED_BIT_TYPES(X) \
    X(uchar, unsigned char)             \
    X(ushort, unsigned short)           \
    X(uint, unsigned int)               \
    X(ulong, unsigned long)             \
    X(ulonglong, unsigned long long)    \
    X(int8, int8_t)                     \
    X(int16, int16_t)                   \
    X(int32, int32_t)                   \
    X(int64, int64_t)                   \
    X(uint8, uint8_t)                   \
    X(uint16, uint16_t)                 \
    X(uint32, uint32_t)                 \
    X(uint64, uint64_t)                 \
    X(size, size_t)

// Team reductions MAX, MIN (24).
#define SHMEM_INTERNAL_RED_MM_TYPES(X) \
    X(char, char)                      \
    X(schar, signed char)              \
    X(short, short)                    \
    X(int, int)                        \
    X(long, long)                      \
    X(longlong, long long)             \
    X(ptrdiff, ptrdiff_t)              \
    SHMEM_INTERNAL_RED_BIT_TYPES(X)    \
    X(float, float)                    \
    X(double, double)                  \
    X(longdouble, long double)

// Team reductions SUM, PROD and the scans (26).
#define SHMEM_INTERNAL_RED_SP_TYPES(X)   \
    SHMEM_INTERNAL_RED_MM_TYPES(X)       \
    X(complexd, shmem_internal_complexd) \
    X(complexf, shmem_internal_complexf)

// Bit widths of the sized RMA and put-with-signal routines (5): X(BITS, BYTES).
#define SHMEM_INTERNAL_SIZES(X) \
    X(8, 1)                     \
    X(16, 2)                    \
    X(32, 4)                    \
    X(64, 8)                    \
    X(128, 16)

// ---- The tables of deprecated routines ------------------------------------------------------

// Bit widths of the active-set collectives (2): X(BITS, BYTES).
#define SHMEM_INTERNAL_COLLECTIVE_SIZES(X) \
    X(32, 4)                               \
    X(64, 8)

// Active-set reductions and, or, xor (4).
#define SHMEM_INTERNAL_AS_BIT_TYPES(X) \
    X(short, short)                    \
    X(int, int)                        \
    X(long, long)                      \
    X(longlong, long long)

// Active-set reductions max, min (7).
#define SHMEM_INTERNAL_AS_MM_TYPES(X) \
    SHMEM_INTERNAL_AS_BIT_TYPES(X)    \
    X(float, float)                   \
    X(double, double)                 \
    X(longdouble, long double)

// Active-set reductions sum, prod (9).
#define SHMEM_INTERNAL_AS_SP_TYPES(X)    \
    SHMEM_INTERNAL_AS_MM_TYPES(X)        \
    X(complexd, shmem_internal_complexd) \
    X(complexf, shmem_internal_complexf)

// Atomics without "atomic" in their name: fetch, set, swap (5).
#define SHMEM_INTERNAL_OLD_EXT_TYPES(X) \
    X(float, float)                     \
    X(double, double)                   \
    X(int, int)                         \
    X(long, long)                       \
    X(longlong, long long)

// Atomics without "atomic" in their name: cswap, finc, inc, fadd, add (3).
#define SHMEM_INTERNAL_OLD_STD_TYPES(X) \
    X(int, int)                         \
    X(long, long)                       \
    X(longlong, long long)

// shmem_TYPENAME_wait (4).
#define SHMEM_INTERNAL_WAIT_OLD_TYPES(X) \
    X(short, short)                      \
    X(int, int)                          \
    X(long, long)                        \
    X(longlong, long long)

// The types that only wait_until and test still have (2).
#define SHMEM_INTERNAL_P2P_SHORT_TYPES(X) \
    X(short, short)                       \
    X(ushort, unsigned short)

#endif  // SHMEM_INTERNAL_RMA_TYPES
