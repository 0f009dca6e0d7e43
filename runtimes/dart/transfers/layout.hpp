// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the elements of a transfer take: contiguous, regular blocks, or any blocks.
#pragma once

#include <dash/dart/if/dart_types.h>
#include <shmemx.h>

#include <cstddef>
#include <vector>

#include "core/types.hpp"

namespace tessera::dart {

struct Types {
    const Type* source = nullptr;
    const Type* dest = nullptr;

    bool are_contiguous() const {
        return source->layout == Layout::kContiguous && dest->layout == Layout::kContiguous;
    }
};

// RETURNS: false: a type is none, the bases differ, or the elements do not fill whole blocks.
bool find_types(dart_datatype_t source, dart_datatype_t dest, std::size_t elements, Types& types);

// How the elements lie on both sides. Strides in bytes.
struct Section {
    std::size_t extents[2];
    std::ptrdiff_t dest_strides[2];
    std::ptrdiff_t source_strides[2];
    std::size_t element_bytes;
};

// RETURNS: false: the blocks of neither side are whole multiples of the other side's.
bool find_section(const Types& types, std::size_t elements, Section& section);

std::vector<shmemx_block_t> blocks_of(const Type& type, std::size_t elements);

// The bytes from the first address to the end of the last element. RETURNS: false: no memory has so
// many.
bool extent_of(const Type& type, std::size_t elements, std::size_t& bytes);

}  // namespace tessera::dart
