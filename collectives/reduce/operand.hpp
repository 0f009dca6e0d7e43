// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by reductions and scans: the operation as a kernel on arrays, and other PEs' arrays as
// operands, read in place when they are mapped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "collectives/cost_terms.hpp"
#include "collectives/group.hpp"
#include "collectives/kernels/kernel.hpp"
#include "messaging/operands.hpp"

namespace tessera::collectives {

// Algorithms work on long vectors in chunks that stay in the first-level cache.
inline constexpr std::size_t kChunkBytes = 8192;
static_assert(kChunkBytes <= kSlotBytes, "a chunk fits into a slot");
using Chunk = char[kChunkBytes];

// The number of chunks, for cost formulas.
inline double chunks(double bytes) { return pieces(bytes, static_cast<double>(kChunkBytes)); }

inline std::uint32_t chunk_count(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + kChunkBytes - 1) / kChunkBytes);
}

// Calls visit(offset, bytes) for the chunks of [begin, end), in bytes.
template <class Visit>
void for_each_chunk(std::size_t begin, std::size_t end, Visit visit) {
    for (std::size_t at = begin; at < end; at += kChunkBytes)
        visit(at, std::min(kChunkBytes, end - at));
}

// The bytes at symmetric address `address` of PE `index` of the group: in place, or copied to
// `copy`.
// REQUIRES: bytes <= kChunkBytes.
inline const void* operand_of(const Group& group, int index, const void* address, std::size_t bytes,
                              Chunk& copy) {
    return operand(address, bytes, group.world_pe(index), copy, group.where());
}

// The elements that PE `index` of the group works on when each takes its share of a vector.
struct Slice {
    std::size_t begin;
    std::size_t end;
};
// Shares are multiples of a cache line, so that no two PEs write to the same line.
inline Slice slice_of(const Group& group, std::size_t nelems, std::size_t element_bytes) {
    const auto npes = static_cast<std::size_t>(group.npes());
    const auto index = static_cast<std::size_t>(group.my_index());
    const std::size_t line = kCacheLineBytes / element_bytes;
    const std::size_t lines = (nelems + line - 1) / line;
    const std::size_t share = (lines + npes - 1) / npes * line;
    const std::size_t begin = index * share < nelems ? index * share : nelems;
    return {.begin = begin, .end = begin + share < nelems ? begin + share : nelems};
}

}  // namespace tessera::collectives
