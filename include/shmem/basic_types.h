// SPDX-License-Identifier: BSD-3-Clause
//
// For the C++ overloads (generic_cxx.h, shmemx/generic.h), which must not meet one type under two
// names. Each of the two removes the macros at its end, so this header has no guard.

// The basic types of each table of shmem/types.h: X(FAMILY, TYPENAME, TYPE).
#define SHMEM_INTERNAL_BASIC_STD(X, FAMILY) \
    X(FAMILY, int, int)                     \
    X(FAMILY, long, long)                   \
    X(FAMILY, longlong, long long)          \
    X(FAMILY, uint, unsigned int)           \
    X(FAMILY, ulong, unsigned long)         \
    X(FAMILY, ulonglong, unsigned long long)

#define SHMEM_INTERNAL_BASIC_EXT(X, FAMILY) \
    SHMEM_INTERNAL_BASIC_STD(X, FAMILY)     \
    X(FAMILY, float, float)                 \
    X(FAMILY, double, double)

#define SHMEM_INTERNAL_BASIC_RMA(X, FAMILY) \
    SHMEM_INTERNAL_BASIC_EXT(X, FAMILY)     \
    X(FAMILY, longdouble, long double)      \
    X(FAMILY, char, char)                   \
    X(FAMILY, schar, signed char)           \
    X(FAMILY, short, short)                 \
    X(FAMILY, uchar, unsigned char)         \
    X(FAMILY, ushort, unsigned short)

// int and long have only the exact-width bitwise routines, long long has none.
#define SHMEM_INTERNAL_BASIC_BIT(X, FAMILY) \
    X(FAMILY, int32, int)                   \
    X(FAMILY, int64, long)                  \
    X(FAMILY, uint, unsigned int)           \
    X(FAMILY, ulong, unsigned long)         \
    X(FAMILY, ulonglong, unsigned long long)
