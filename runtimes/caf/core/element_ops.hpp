// SPDX-License-Identifier: BSD-3-Clause
//
// Sums, minima and maxima of all element types: as functions, and as codes of shmemx where it has
// one (not for integers of 16 bytes, reals of more than 8 bytes, their complex numbers, strings).

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/collectives.hpp"

namespace tessera::caf {

enum class Combine { kSum, kMin, kMax };

// The kind of a real of 16 bytes, which compilers do not tell: the 80-bit type of x86 (kind 10) or
// the 128-bit type (kind 16).
enum class WideReal { kExtended, kQuad };

// Elements and an operation, as far as front ends know them.
struct ElementType {
    enum Class { kInteger, kUnsigned, kReal, kComplex, kString } type;
    std::size_t bytes;                // size of an element
    std::size_t character_bytes = 1;  // strings: 1 or 4
    WideReal wide = WideReal::kQuad;  // reals and complex numbers
};

// The reduction for a type. RETURNS: false if there is none, as for the minimum of complex numbers.
bool find_reduction(const ElementType& type, Combine combine, Reduction* reduction);

// Looks at the values of all images of the current team, which all call it: reals of 16 bytes whose
// exponents are where kind 10 has them, or where kind 16 has them.
// parts  numbers of 16 bytes. RETURNS: the same on all images.
WideReal guess_wide_real(const void* data, std::size_t parts, Death death);

}  // namespace tessera::caf
