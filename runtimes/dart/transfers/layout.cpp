// SPDX-License-Identifier: BSD-3-Clause
//
// See layout.hpp.
#include "transfers/layout.hpp"

#include <algorithm>

namespace tessera::dart {

namespace {

// One side: blocks of `elements` elements, every `stride` elements.
struct Side {
    std::size_t elements;
    std::size_t stride;
};

// A contiguous side has blocks of any length: as those of the other side.
Side side_of(const Type& type, const Type& other) {
    return type.layout == Layout::kContiguous ? Side{other.block_elements, other.block_elements}
                                              : Side{type.block_elements, type.stride};
}

// The strides of a side whose blocks have `pieces` pieces, inside of a move whose larger blocks
// have `larger_pieces`.
void set_strides(const Side& side, std::size_t piece_elements, std::size_t larger_pieces,
                 std::size_t bytes, std::ptrdiff_t* strides) {
    const bool is_larger = side.elements > piece_elements;
    const std::size_t inner = is_larger ? piece_elements : side.stride;
    const std::size_t outer = is_larger ? side.stride : side.stride * larger_pieces;
    strides[0] = static_cast<std::ptrdiff_t>(outer * bytes);
    strides[1] = static_cast<std::ptrdiff_t>(inner * bytes);
}

}  // namespace

bool find_types(dart_datatype_t source, dart_datatype_t dest, std::size_t elements, Types& types) {
    types = {find_type(source), find_type(dest)};
    return types.source != nullptr && types.dest != nullptr &&
           types.source->base == types.dest->base && fills_blocks(*types.source, elements) &&
           fills_blocks(*types.dest, elements);
}

bool find_section(const Types& types, std::size_t elements, Section& section) {
    if (types.source->layout == Layout::kIndexed || types.dest->layout == Layout::kIndexed)
        return false;
    const Side source = side_of(*types.source, *types.dest);
    const Side dest = side_of(*types.dest, *types.source);
    const std::size_t smaller = std::min(source.elements, dest.elements);
    const std::size_t larger = std::max(source.elements, dest.elements);
    if (larger % smaller != 0) return false;
    const std::size_t bytes = types.source->element_bytes;
    const std::size_t pieces = larger / smaller;
    section.extents[0] = elements / larger;
    section.extents[1] = pieces;
    section.element_bytes = smaller * bytes;
    set_strides(source, smaller, pieces, bytes, section.source_strides);
    set_strides(dest, smaller, pieces, bytes, section.dest_strides);
    return true;
}

std::vector<shmemx_block_t> blocks_of(const Type& type, std::size_t elements) {
    std::vector<shmemx_block_t> blocks;
    for (Runs runs(type, elements); !runs.is_done(); runs.advance(runs.bytes()))
        blocks.push_back({static_cast<std::ptrdiff_t>(runs.offset()), runs.bytes()});
    return blocks;
}

bool extent_of(const Type& type, std::size_t elements, std::size_t& bytes) {
    std::size_t extent = elements;
    if (type.layout != Layout::kContiguous && elements > 0) {
        std::size_t last = type.block_elements;  // elements of the last block or instance
        for (const Block& block : type.blocks) last = std::max(last, block.offset + block.elements);
        const std::size_t before = elements / type.block_elements - 1;
        if (__builtin_mul_overflow(before, type.stride, &extent) ||
            __builtin_add_overflow(extent, last, &extent)) {
            return false;
        }
    }
    return !__builtin_mul_overflow(extent, type.element_bytes, &bytes);
}

}  // namespace tessera::dart
