// SPDX-License-Identifier: BSD-3-Clause
//
// From what the compiler passes to sections of bytes (core/section.hpp).

#pragma once

#include <cstdint>
#include <vector>

#include "abi12/access_convert.hpp"
#include "abi12/descriptor.hpp"
#include "core/coarray.hpp"
#include "core/runtime.hpp"
#include "core/section.hpp"

namespace tessera::caf {

// The section that a descriptor describes, from another base.
inline Section section_of(const Descriptor& descriptor, std::byte* base) {
    Section section{
        .base = base, .element_bytes = element_bytes_of(descriptor), .rank = 0, .axes = {}};
    const std::ptrdiff_t span = span_of(descriptor);
    for (int i = 0; i < descriptor.rank; ++i) {
        const Dimension& dim = descriptor.dim[i];
        section.add_axis(extent(dim), Wide{dim.stride} * span);
    }
    return section;
}

// The section of a descriptor of this image's own memory.
inline Section section_of(const Descriptor& descriptor) {
    return section_of(descriptor, static_cast<std::byte*>(descriptor.base));
}

// Element i of a list of indices of an integer kind.
std::ptrdiff_t index_at(const void* indices, int kind, std::size_t i, const char* routine);

// ERRORS: a section that is not wholly in the coarray ends the program.
void check_inside(const Coarray& coarray, const Section& section, const char* routine);

// The lists of offsets of vector subscripts, as long as a section needs them.
using OffsetLists = std::vector<std::vector<std::ptrdiff_t>>;

// Adds an axis with a vector subscript: indices of an integer kind, `distance` bytes apart for
// successive values, of which `first` has offset 0.
void add_vector_axis(Section& section, OffsetLists& lists, const void* indices, int kind,
                     std::size_t count, std::ptrdiff_t first, std::ptrdiff_t distance,
                     const char* routine);

// The section that a descriptor and vector subscripts (may be NULL) select, from base.
Section section_of(const Descriptor& descriptor, const Vector* vectors, std::byte* base,
                   OffsetLists& lists, const char* routine);

// Gets `remote` of a PE into `local`, and converts. ERRORS: other numbers of elements end the
// program.
void get_converted(const Section& local, const ElementType& to, const Section& remote,
                   const ElementType& from, int pe, const char* routine);

// Puts `local` into `remote` of a PE, converted. A `local` of rank 0 goes to all of `remote`.
// ERRORS: as get_converted.
void put_converted(const Section& remote, const ElementType& to, const Section& local,
                   const ElementType& from, int pe, const char* routine);

// For an access with stat= to a PE. RETURNS: false when the image has failed; stat= tells.
bool has_not_failed(int pe, int* stat);
inline bool may_access(int pe, int* stat) { return stat == nullptr || has_not_failed(pe, stat); }

}  // namespace tessera::caf
