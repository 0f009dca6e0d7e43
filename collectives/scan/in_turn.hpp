// SPDX-License-Identifier: BSD-3-Clause
//
// A chunk of a scan by one PE, for direct.cpp and hierarchical.cpp: it adds the sources of
// some members in place, one after the other, and writes to their dests.
#pragma once

#include <cstring>

#include "collectives/scan/scan.hpp"

namespace tessera::collectives {

// A range of members of a group, by index.
struct Members {
    int begin;
    int end;
};

// Where a chunk is in the vectors of all members.
struct ScanChunk {
    char* dest;
    const char* source;
    std::size_t bytes;
};

// dest of each of the members = the sum so far. No other PE touches the chunk meanwhile, so dest
// may be source; the exclusive form copies a source before it overwrites it. `before`: the sum of
// the members in front of these, which is overwritten; nullptr: there are none. REQUIRES: at most
// kChunkBytes.
inline void scan_in_turn(const Group& group, Members members, const ScanChunk& chunk,
                         const Kernel& sum, ScanKind kind, char* before) {
    alignas(kCacheLineBytes) Chunk none;
    alignas(kCacheLineBytes) Chunk copy;
    char* running = before != nullptr ? before : none;
    const std::size_t nelems = chunk.bytes / sum.element_bytes;
    if (before == nullptr) std::memset(running, 0, chunk.bytes);
    for (int index = members.begin; index < members.end; ++index) {
        const int pe = group.world_pe(index);
        if (kind == ScanKind::kExclusive) {
            collective_context.get(copy, chunk.source, chunk.bytes, pe, group.where());
            collective_context.put(chunk.dest, running, chunk.bytes, pe, group.where());
            sum.combine(running, copy, nelems);
        } else {
            const void* operand = operand_of(group, index, chunk.source, chunk.bytes, copy);
            if (index == members.begin && before == nullptr) {
                std::memcpy(running, operand, chunk.bytes);  // Keeps the sign of a zero.
            } else {
                sum.combine(running, operand, nelems);
            }
            collective_context.put(chunk.dest, running, chunk.bytes, pe, group.where());
        }
    }
}

}  // namespace tessera::collectives
