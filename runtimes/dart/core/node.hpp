// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the units of the own node, whose memory is mapped. A unit has its symmetric, team
// and local memory in one range, so another unit's address is the own one plus one distance.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::dart {

struct Node {
    // No distance: a unit of another node between those of this one, or one that is not mapped.
    static constexpr std::ptrdiff_t kNotMapped = PTRDIFF_MIN;

    // The distances of units first_unit, first_unit + 1, ...
    int first_unit = 0;
    std::uint32_t count = 0;
    std::ptrdiff_t* distances = nullptr;  // never freed: static destructors may call DART
    int units = 0;                        // units of this node
    bool has_other_nodes = false;
    bool is_oversubscribed = false;  // more units than processors
    // Else software keeps memory coherent (docs/runtimes/noncoherent.md), and no memory is mapped,
    // not even the own one: other units see a public copy of it, which OpenSHMEM's routines access.
    bool is_coherent = true;

    // RETURNS: where the calling unit loads and stores `unit`'s copy of `address`; nullptr: it
    // cannot. `limit`: count, or 0 for memory that is never mapped.
    char* mapped(char* address, int unit, std::uint32_t limit) const {
        const auto index = static_cast<std::uint32_t>(unit - first_unit);
        if (index >= limit) [[unlikely]]
            return nullptr;
        const std::ptrdiff_t distance = distances[index];
        return distance != kNotMapped ? address + distance : nullptr;
    }
};

extern Node node;

// Fills `node`. `symmetric`: any object of the symmetric heap.
void find_node(char* symmetric);

}  // namespace tessera::dart
