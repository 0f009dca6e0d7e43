// SPDX-License-Identifier: BSD-3-Clause
//
// Types of elements, as transfers and collectives see them. Basic types are rows of a table, so the
// common question, how many bytes an element has, is one load. Hot path: bytes_of_basic.
//
// Created types are immutable. A transfer copies what it needs before its routine returns, because
// dart_type_destroy may come while the transfer is under way.

#pragma once

#include <dash/dart/if/dart_types.h>

#include <cstddef>
#include <vector>

namespace tessera::dart {

enum class Layout : unsigned char { kContiguous, kStrided, kIndexed };

// A block of an indexed type, in elements.
struct Block {
    std::size_t offset;
    std::size_t elements;
};

struct Type {
    Layout layout = Layout::kContiguous;
    // The basic type, or the custom type itself: two types go together if their bases are equal.
    dart_datatype_t base = DART_TYPE_UNDEFINED;
    std::size_t element_bytes = 0;  // size of the base
    // Strided and indexed: elements of a block, and of all blocks of an instance.
    std::size_t block_elements = 1;
    // Strided: elements from block to block. Indexed: from instance to instance.
    std::size_t stride = 1;
    std::vector<Block> blocks{};  // indexed
};

inline constexpr std::size_t kBasicBytes[DART_TYPE_LAST] = {
    0,
    1,
    sizeof(short),
    sizeof(int),
    sizeof(unsigned),
    sizeof(long),
    sizeof(unsigned long),
    sizeof(long long),
    sizeof(unsigned long long),
    sizeof(float),
    sizeof(double),
    sizeof(long double),
};

inline bool is_basic(dart_datatype_t type) {
    return type > DART_TYPE_UNDEFINED && type < DART_TYPE_LAST;
}

// REQUIRES: is_basic(type).
inline std::size_t bytes_of_basic(dart_datatype_t type) { return kBasicBytes[type]; }

// RETURNS: the description of a basic or created type; nullptr: `type` is none.
const Type* find_type(dart_datatype_t type);

// Bytes of an element of a contiguous type, basic or custom. RETURNS: 0: `type` is another one.
inline std::size_t contiguous_bytes(dart_datatype_t type) {
    if (is_basic(type)) [[likely]]
        return bytes_of_basic(type);
    const Type* created = find_type(type);
    return created != nullptr && created->layout == Layout::kContiguous ? created->element_bytes
                                                                        : 0;
}

// Whether a transfer may have so many elements of this type: whole blocks, whole instances.
inline bool fills_blocks(const Type& type, std::size_t elements) {
    return elements % type.block_elements == 0;
}

// Walks over the contiguous runs of `elements` elements of a type, in their order.
// REQUIRES: fills_blocks(type, elements).
class Runs {
  public:
    Runs(const Type& type, std::size_t elements);

    bool is_done() const { return elements_left_ == 0; }
    // Where the run starts, in bytes from the first element's address, and its bytes.
    std::size_t offset() const { return offset_ * type_.element_bytes; }
    std::size_t bytes() const { return run_elements_ * type_.element_bytes; }
    // Goes on by some bytes of the run, whole elements, into the next run at its end.
    void advance(std::size_t bytes);

  private:
    void start_run();

    const Type& type_;
    std::size_t elements_left_;
    std::size_t offset_ = 0;        // place of the run, in elements
    std::size_t run_elements_ = 0;  // elements that are left of the run
    std::size_t block_ = 0;         // strided: counts all; indexed: in the instance
    std::size_t instance_ = 0;      // indexed
};

}  // namespace tessera::dart
