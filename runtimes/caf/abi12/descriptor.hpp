// SPDX-License-Identifier: BSD-3-Clause
//
// The data that gfortran (GCC 8 to 14) passes to a coarray library: array descriptors, vector
// subscripts, chains of references, and the numbers of its enumerations. The layouts are those that
// the compiler emits on 64-bit systems.

#pragma once

#include <cstddef>
#include <cstdint>

// Begins an entry that the compiler calls.
#define CAF_ENTRY extern "C" [[gnu::visibility("default")]]

namespace tessera::caf {

using caf_token_t = void*;
using caf_team_t = void*;

inline constexpr int kMaxRank = 15;

// The compiler's numbers of types.
enum TypeCode : std::int8_t {
    kInteger = 1,
    kLogical = 2,
    kReal = 3,
    kComplex = 4,
    kDerived = 5,
    kCharacter = 6,
    kClass = 7,
    kVoid = 10,
    kAssumed = 11,
    kUnsigned = 15,
};

struct Dimension {
    std::ptrdiff_t stride;  // in units of span
    std::ptrdiff_t lower;
    std::ptrdiff_t upper;
};

// gfortran's array descriptor. It has rank dimensions; those of coarrays have the codimensions
// behind them, and the token behind those.
struct Descriptor {
    void* base;
    std::size_t offset;
    std::size_t element_bytes;
    int version;
    std::int8_t rank;
    std::int8_t type;
    std::int16_t attribute;
    std::ptrdiff_t span;
    Dimension dim[kMaxRank];
};
static_assert(offsetof(Descriptor, element_bytes) == 16);
static_assert(offsetof(Descriptor, rank) == 28 && offsetof(Descriptor, type) == 29);
static_assert(offsetof(Descriptor, span) == 32 && offsetof(Descriptor, dim) == 40);
static_assert(sizeof(Dimension) == 24);

// Bytes of a descriptor with a number of dimensions, codimensions counted.
constexpr std::size_t descriptor_bytes(int dimensions) {
    return offsetof(Descriptor, dim) + static_cast<std::size_t>(dimensions) * sizeof(Dimension);
}

// The number of elements of a dimension.
inline std::size_t extent(const Dimension& d) {
    return d.upper < d.lower
               ? 0
               : static_cast<std::size_t>(d.upper) - static_cast<std::size_t>(d.lower) + 1;
}

// The bytes that one unit of stride means. Descriptors without a span have contiguous elements.
inline std::ptrdiff_t span_of(const Descriptor& d) {
    return d.span != 0 ? d.span : static_cast<std::ptrdiff_t>(d.element_bytes);
}

// The bytes of an element that moves. gfortran 12 passes 0 for arrays of characters of length 1.
inline std::size_t element_bytes_of(const Descriptor& d) {
    return d.element_bytes == 0 && d.type == kCharacter && d.rank != 0
               ? static_cast<std::size_t>(d.span)
               : d.element_bytes;
}

// One dimension of a section: nvec subscripts in a list, or, with 0, a triplet.
struct Vector {
    std::size_t nvec;
    union {
        struct {
            void* vector;
            int kind;
        } v;
        struct {
            std::ptrdiff_t lower;
            std::ptrdiff_t upper;
            std::ptrdiff_t stride;
        } triplet;
    } u;
};
static_assert(sizeof(Vector) == 32);

// One link of a chain of references, as in x(1:3)%b%c(i).
enum ReferenceType : int { kRefComponent = 0, kRefArray = 1, kRefStaticArray = 2 };

// The part of one dimension that a reference selects.
enum ArrayReference : std::uint8_t {
    kArrayNone = 0,
    kArrayVector = 1,
    kArrayFull = 2,
    kArrayRange = 3,
    kArraySingle = 4,
    kArrayOpenEnd = 5,
    kArrayOpenStart = 6,
};

struct Reference {
    Reference* next;
    int type;
    std::size_t item_bytes;
    union {
        struct {
            std::ptrdiff_t offset;
            // Distance of the component's token from the object; 0: not allocatable.
            std::ptrdiff_t token_offset;
        } c;
        struct {
            std::uint8_t mode[kMaxRank];
            int static_array_type;
            union {
                struct {
                    std::ptrdiff_t start;
                    std::ptrdiff_t end;
                    std::ptrdiff_t stride;
                } s;
                struct {
                    void* vector;
                    std::size_t nvec;
                    int kind;
                } v;
            } dim[kMaxRank];
        } a;
    } u;
};
static_assert(sizeof(Reference) == 408 && offsetof(Reference, u) == 24);
static_assert(offsetof(Reference, u.a.static_array_type) == 40);
static_assert(offsetof(Reference, u.a.dim) == 48);

enum RegisterType : int {
    kRegisterStatic = 0,
    kRegisterAllocatable = 1,
    kRegisterLockStatic = 2,
    kRegisterLockAllocatable = 3,
    kRegisterCritical = 4,
    kRegisterEventStatic = 5,
    kRegisterEventAllocatable = 6,
    kRegisterTokenOnly = 7,
    kRegisterMemoryOnly = 8,
    kRegisterMapExisting = 9,  // GCC 16
};

enum DeregisterType : int { kDeregister = 0, kDeallocateOnly = 1 };

}  // namespace tessera::caf
