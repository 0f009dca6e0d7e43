// SPDX-License-Identifier: BSD-3-Clause
//
// Moves of blocks. Where the blocks of one side are whole multiples of the other side's, as they
// are for nearly all transfers, both sides are sections of arrays (shmemx_put_strided); else they
// are lists of blocks (shmemx_put_indexed).
#include "transfers/layout.hpp"

#include <algorithm>
#include <vector>

#include "transfers/pending.hpp"

namespace tessera::dart {

namespace {

// One side: blocks of `elements` elements, every `stride` elements.
struct Side {
    std::size_t elements;
    std::size_t stride;
};

// How the elements lie on both sides. Strides in bytes.
struct Section {
    std::size_t extents[2];
    std::ptrdiff_t dest_strides[2];
    std::ptrdiff_t source_strides[2];
    std::size_t element_bytes;
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

bool find_section(const Types& types, std::size_t elements, Section& section) {
    if (types.source->layout == Layout::kIndexed || types.dest->layout == Layout::kIndexed) {
        return false;
    }
    const Side source = side_of(*types.source, *types.dest);
    const Side dest = side_of(*types.dest, *types.source);
    const std::size_t smaller = std::min(source.elements, dest.elements);
    const std::size_t larger = std::max(source.elements, dest.elements);
    if (larger % smaller != 0) {
        return false;
    }
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
    for (Runs runs(type, elements); !runs.is_done(); runs.advance(runs.bytes())) {
        blocks.push_back({static_cast<std::ptrdiff_t>(runs.offset()), runs.bytes()});
    }
    return blocks;
}

// One of six routines, `NAME` with its arguments in front of the target's number.
#define CALL(NAME, COMPLETION, HANDLE, ...)                                             \
    switch (COMPLETION) {                                                               \
        case Completion::kBlocking: return NAME(__VA_ARGS__);                           \
        case Completion::kByFlush: return NAME##_nbi(__VA_ARGS__);                      \
        case Completion::kByHandle: return NAME##_req(__VA_ARGS__, request_of(HANDLE)); \
    }

void move_section(const Move& what, const Target& target, const Section& section) {
    if (what.direction == Direction::kPut) {
        CALL(shmemx_put_strided, what.completion, what.handle, target.address, section.dest_strides,
             what.local, section.source_strides, section.extents, 2, section.element_bytes,
             target.pe)
    } else {
        CALL(shmemx_get_strided, what.completion, what.handle, what.local, section.dest_strides,
             target.address, section.source_strides, section.extents, 2, section.element_bytes,
             target.pe)
    }
}

void move_lists(const Move& what, const Target& target, const Types& types) {
    const auto source = blocks_of(*types.source, what.elements);
    const auto dest = blocks_of(*types.dest, what.elements);
    if (what.direction == Direction::kPut) {
        CALL(shmemx_put_indexed, what.completion, what.handle, target.address, dest.data(),
             dest.size(), what.local, source.data(), source.size(), target.pe)
    } else {
        CALL(shmemx_get_indexed, what.completion, what.handle, what.local, dest.data(), dest.size(),
             target.address, source.data(), source.size(), target.pe)
    }
}
#undef CALL

}  // namespace

bool find_types(const Move& what, Types& types) {
    types = {find_type(what.source_type), find_type(what.dest_type)};
    return types.source != nullptr && types.dest != nullptr &&
           types.source->base == types.dest->base && fills_blocks(*types.source, what.elements) &&
           fills_blocks(*types.dest, what.elements);
}

bool extent_of(const Type& type, std::size_t elements, std::size_t& bytes) {
    std::size_t extent = elements;
    if (type.layout != Layout::kContiguous && elements > 0) {
        std::size_t last = type.block_elements;  // elements of the last block or instance
        for (const Block& block : type.blocks) {
            last = std::max(last, block.offset + block.elements);
        }
        const std::size_t before = elements / type.block_elements - 1;
        if (__builtin_mul_overflow(before, type.stride, &extent) ||
            __builtin_add_overflow(extent, last, &extent)) {
            return false;
        }
    }
    return !__builtin_mul_overflow(extent, type.element_bytes, &bytes);
}

void move_blocks(const Move& what, const Target& target, const Types& types) {
    Section section;
    if (find_section(types, what.elements, section)) {
        move_section(what, target, section);
    } else {
        move_lists(what, target, types);
    }
    if (what.completion != Completion::kBlocking) {
        (target.mapped != nullptr ? left_on_node : pending).note();
    } else if (target.mapped != nullptr) {
        return;
    } else if (what.direction == Direction::kPut) {
        shmem_pe_quiet(&target.pe, 1);
    }
}

}  // namespace tessera::dart
