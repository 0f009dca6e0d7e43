// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions of intrinsic assignment, which gfortran leaves to the library when the two sides of a
// coindexed assignment have different types, kinds or lengths.
//
// Nothing here communicates. THREADS: any.

#pragma once

#include "abi12/descriptor.hpp"
#include "core/section.hpp"

namespace tessera::caf {

// The type of an element. kind: as in Fortran; 0: of a derived type, whose bytes are copied.
struct ElementType {
    int type = 0;
    int kind = 0;
    std::size_t bytes = 0;
};

inline ElementType type_of(const Descriptor& descriptor, int kind) {
    return {descriptor.type, kind, element_bytes_of(descriptor)};
}

// Whether an assignment copies bytes.
inline bool is_same_type(const ElementType& a, const ElementType& b) {
    return a.bytes == b.bytes && a.type == b.type && a.kind == b.kind;
}

// Assigns the elements of source to those of dest, in this image's memory: numbers to numbers,
// logicals to logicals (and integers, an extension of gfortran), characters to characters, which
// are cut or padded with blanks. Other pairs of types copy bytes. The sections have the same
// shape and do not overlap.
void convert_section(const Section& dest, const ElementType& to, const Section& source,
                     const ElementType& from);

}  // namespace tessera::caf
