// SPDX-License-Identifier: BSD-3-Clause
//
// Slice-parallel: each PE takes 1/p of the vector and runs over the PEs once, adding each one's
// source and writing the sum so far to its dest. Nobody else touches its slice between the syncs,
// so dest may be source; the exclusive form copies a source before it overwrites it.
// COST: 2 syncs and n/p (p c + p b) (c: adding, b: writing a byte). Any group.
#include "collectives/scan/algorithms.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::collectives {
namespace {

struct Span {
    char* dest;
    const char* source;
    std::size_t bytes;
};

void scan_chunk(const Group& group, const Span& span, const Operation& sum, ScanKind kind) {
    alignas(kCacheLineBytes) Chunk running;
    alignas(kCacheLineBytes) Chunk copy;
    const std::size_t nelems = span.bytes / sum.element_bytes;
    std::memset(running, 0, span.bytes);
    for (int index = 0; index < group.npes(); ++index) {
        const int pe = group.world_pe(index);
        if (kind == ScanKind::kExclusive) {
            collective_context.get(copy, span.source, span.bytes, pe, group.where());
            collective_context.put(span.dest, running, span.bytes, pe, group.where());
            sum.combine(running, copy, nelems);
        } else {
            const void* operand = operand_of(group, index, span.source, span.bytes, copy);
            if (index == 0) {
                std::memcpy(running, operand, span.bytes);  // Keeps the sign of a zero.
            } else {
                sum.combine(running, operand, nelems);
            }
            collective_context.put(span.dest, running, span.bytes, pe, group.where());
        }
    }
}

}  // namespace

void scan_slice(const Group& group, void* dest, const void* source, std::size_t nelems,
                const Operation& sum, ScanKind kind) {
    if (nelems == 0) return;
    const Slice slice = slice_of(group, nelems, sum.element_bytes);
    const std::size_t end = slice.end * sum.element_bytes;
    group.sync();
    for (std::size_t at = slice.begin * sum.element_bytes; at < end; at += kChunkBytes) {
        scan_chunk(group,
                   {.dest = static_cast<char*>(dest) + at,
                    .source = static_cast<const char*>(source) + at,
                    .bytes = std::min(kChunkBytes, end - at)},
                   sum, kind);
    }
    group.deliver();
    group.sync();
}

}  // namespace tessera::collectives
