// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the elements of a transfer take: contiguous, regular blocks, or any blocks.
#pragma once

#include <cstddef>

#include "core/types.hpp"
#include "transfers/moves.hpp"

namespace tessera::dart {

struct Types {
    const Type* source = nullptr;
    const Type* dest = nullptr;

    bool are_contiguous() const {
        return source->layout == Layout::kContiguous && dest->layout == Layout::kContiguous;
    }
};

// RETURNS: false: a type is none, the bases differ, or the elements do not fill whole blocks.
bool find_types(const Move& what, Types& types);

// The bytes from the first address to the end of the last element. RETURNS: false: no memory has so
// many.
bool extent_of(const Type& type, std::size_t elements, std::size_t& bytes);

}  // namespace tessera::dart
