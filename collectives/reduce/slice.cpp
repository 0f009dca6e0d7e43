// SPDX-License-Identifier: BSD-3-Clause
//
// Slice-parallel: each PE takes 1/p of the vector, combines it from all sources where they lie, in
// the order of the PEs, and writes the result to all. A short vector is not worth sharing out:
// every PE combines all of it. Either way an element is computed in the same order everywhere, so
// all PEs get the same bits. In place is safe: nobody but its own PE touches an element of the
// slice between the syncs, and short vectors are written after the second sync.
// COST: 2 syncs; n/p (p c + p b) for long vectors, n p c for short ones (c: combining, b: writing a
// byte). Any group, any operation.
#include "collectives/reduce/slice.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::collectives {
namespace {

constexpr std::size_t kShortBytes = 512;

// `result` = the elements at `source` of all PEs, combined.
void combine_all(const Group& group, const char* source, std::size_t bytes,
                 const Operation& operation, Chunk& result) {
    alignas(kCacheLineBytes) Chunk copy;
    std::memcpy(result, operand_of(group, 0, source, bytes, copy), bytes);
    for (int index = 1; index < group.npes(); ++index) {
        operation.combine(result, operand_of(group, index, source, bytes, copy),
                          bytes / operation.element_bytes);
    }
}

void reduce_short(const Group& group, char* dest, const char* source, std::size_t bytes,
                  const Operation& operation) {
    alignas(kCacheLineBytes) Chunk result;
    group.sync();
    combine_all(group, source, bytes, operation, result);
    group.sync();
    std::memcpy(dest, result, bytes);
}

}  // namespace

void reduce_slice(const Group& group, void* dest, const void* source, std::size_t nelems,
                  const Operation& operation) {
    if (nelems == 0) return;
    char* to = static_cast<char*>(dest);
    const char* from = static_cast<const char*>(source);
    const std::size_t element_bytes = operation.element_bytes;
    if (nelems <= kShortBytes / element_bytes) {
        return reduce_short(group, to, from, nelems * element_bytes, operation);
    }
    alignas(kCacheLineBytes) Chunk result;
    const Slice slice = slice_of(group, nelems, element_bytes);
    const std::size_t end = slice.end * element_bytes;
    group.sync();
    for (std::size_t at = slice.begin * element_bytes; at < end; at += kChunkBytes) {
        const std::size_t bytes = std::min(kChunkBytes, end - at);
        combine_all(group, from + at, bytes, operation, result);
        for_each_from_neighbour(group, [&](int index) {
            collective_context.put(to + at, result, bytes, group.world_pe(index), group.where());
        });
    }
    group.deliver();
    group.sync();
}

}  // namespace tessera::collectives
