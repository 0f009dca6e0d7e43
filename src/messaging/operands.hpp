// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric arrays of other PEs as operands of this one: read in place, or copied here.
#pragma once

#include <cstddef>

#include "core/context.hpp"

namespace tessera {

// `bytes` at symmetric address `address` of PE `world_pe`, where this PE can load them; nullptr: it
// cannot. An address that is not symmetric ends the job.
inline const char* mapped_operand(const void* address, std::size_t bytes, int world_pe,
                                  const char* where) {
    return address_map.remote(address, bytes, world_pe, where);
}

// Heap memory of PE `world_pe`, where this PE can load and store it; nullptr: it cannot, or the
// memory is no heap memory. COST: that of the fast path.
TESSERA_INLINE char* mapped_heap_of(const void* address, std::size_t bytes, int world_pe) {
    return address_map.known_heap(address, bytes, world_pe);
}

// Ends the job if `bytes` at `address` begin in symmetric memory and leave it, or if `address` is
// null. Memory that is not symmetric is the caller's to judge.
inline void check_ends_inside(const void* address, std::size_t bytes, const char* where) {
    if (bytes == 0 || address_map.contains(address, bytes)) return;
    if (address == nullptr || address_map.contains(address, 1)) fail_address(address, bytes, where);
}

// The same as mapped_operand(), or a copy of the bytes in `copy`.
inline const char* operand(const void* address, std::size_t bytes, int world_pe, char* copy,
                           const char* where) {
    if (const char* mapped = mapped_operand(address, bytes, world_pe, where)) return mapped;
    collective_context.get(copy, address, bytes, world_pe, where);
    return copy;
}

// Heap memory by its distance from the start of its owner's heap, for arrays that have another
// address on each PE. kNotInHeap: the bytes are no heap memory of this PE that others can load.
inline constexpr std::size_t kNotInHeap = ~std::size_t{0};
inline std::size_t heap_place_of(const void* address, std::size_t bytes) {
    if (!address_map.in_heap(address, bytes)) return kNotInHeap;
    if (address_map.peers[address_map.my_pe].heap_inline_limit == 0) return kNotInHeap;
    return reinterpret_cast<std::uintptr_t>(address) - address_map.heap_base;
}
// Where the places of this PE's heap begin.
inline char* heap_start() { return reinterpret_cast<char*>(address_map.heap_base); }
// REQUIRES: a place that PE `world_pe` of this node has named.
inline char* mapped_heap_at(std::size_t place, int world_pe) {
    return address_map.peers[world_pe].heap + place;
}

}  // namespace tessera
