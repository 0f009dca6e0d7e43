// SPDX-License-Identifier: BSD-3-Clause
//
// The memory by which the images of a team on one node exchange small data of collectives
// (collectives.cpp).

#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::caf {

// Data of up to so many bytes, in teams of up to so many images, goes by loads from the images'
// blocks (team.cpp).
inline constexpr std::size_t kExposedBytes = 1024;
inline constexpr int kExposedImages = 16;

// The size of a broadcast. The source sends it ahead of the data, and the others compare.
struct BroadcastShape {
    std::size_t bytes;  // kUnallocated: there is no data
    std::size_t element_bytes;
    bool operator==(const BroadcastShape&) const = default;
};
inline constexpr std::size_t kUnallocated = SIZE_MAX;

struct alignas(64) ExposedArea {
    std::uint64_t round;  // round of the data; co_broadcast writes it behind the data
    std::uint64_t bytes;  // length of a reduction: all images pass as many
    alignas(64) std::byte data[kExposedBytes];
};

// A broadcast on a node: one cache line in each receiver's memory, with the data if it fits.
struct alignas(64) BroadcastSlot {
    std::uint64_t number;  // number of the broadcast, from 1; from kGone on: an image has left
    BroadcastShape shape;
    std::byte data[40];
};
inline constexpr std::uint64_t kBroadcastSlots = 16;

// An image has one for each team. The areas are for rounds of the team's barrier by turns, the
// slots for broadcasts by turns.
struct Exposed {
    ExposedArea areas[2];
    BroadcastSlot slots[kBroadcastSlots];
};

}  // namespace tessera::caf
