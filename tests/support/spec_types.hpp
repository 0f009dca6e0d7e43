// SPDX-License-Identifier: BSD-3-Clause
//
// The type tables of OpenSHMEM 1.6 as the tests know them, copied by hand from the specification's
// text and not from include/shmem/types.h: a row that the library lacks, or has with another type,
// does not compile or fails a test. SPEC_..._TYPES(X) calls X(TYPENAME, TYPE) once per row.
#pragma once

#include <cstddef>
#include <cstdint>

// Table "Standard RMA types and names": 24.
#define SPEC_RMA_TYPES(X)            \
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

// Sizes of the sized routines, in bits: 5.
#define SPEC_SIZES(X) X(8) X(16) X(32) X(64) X(128)

// Table "Standard AMO types and names", also of all waits and tests: 12.
#define SPEC_AMO_STANDARD_TYPES(X)   \
    X(int, int)                      \
    X(long, long)                    \
    X(longlong, long long)           \
    X(uint, unsigned int)            \
    X(ulong, unsigned long)          \
    X(ulonglong, unsigned long long) \
    X(int32, int32_t)                \
    X(int64, int64_t)                \
    X(uint32, uint32_t)              \
    X(uint64, uint64_t)              \
    X(size, size_t)                  \
    X(ptrdiff, ptrdiff_t)

// Table "Extended AMO types and names": 14.
#define SPEC_AMO_EXTENDED_TYPES(X) X(float, float) X(double, double) SPEC_AMO_STANDARD_TYPES(X)

// Table "Bitwise AMO types and names": 7.
#define SPEC_AMO_BITWISE_TYPES(X)    \
    X(uint, unsigned int)            \
    X(ulong, unsigned long)          \
    X(ulonglong, unsigned long long) \
    X(int32, int32_t)                \
    X(int64, int64_t)                \
    X(uint32, uint32_t)              \
    X(uint64, uint64_t)

// Calls X(ROUTINE, CTX, ...) for the four forms of one routine. CTX() is the context argument, with
// its comma, where the form has one.
#define SPEC_FORMS(X, NAME, ...)                                  \
    X(shmem_##NAME, SPEC_WITHOUT_CTX __VA_OPT__(, ) __VA_ARGS__)  \
    X(shmem_ctx_##NAME, SPEC_WITH_CTX __VA_OPT__(, ) __VA_ARGS__) \
    X(pshmem_##NAME, SPEC_WITHOUT_CTX __VA_OPT__(, ) __VA_ARGS__) \
    X(pshmem_ctx_##NAME, SPEC_WITH_CTX __VA_OPT__(, ) __VA_ARGS__)
#define SPEC_WITHOUT_CTX()
#define SPEC_WITH_CTX() SHMEM_CTX_DEFAULT,
