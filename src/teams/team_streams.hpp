// SPDX-License-Identifier: BSD-3-Clause
//
// The streams of a team: messages from each member to each other one, in order, through slots in
// the receiver's internal segment. They carry the collectives of the runtime layer
// (collectives/streams/), which may be nonblocking, and whose arrays may be private. A team has
// several sets of streams, so that several calls progress side by side. The first teams of a PE
// have long blocks, those in later slots short ones (core/internal_segment.hpp). Layout of a team's
// block in a member's internal segment:
//
//   gates_bytes() of gates, for each set:
//     arrived[i]   number of the last message of member i that lies in this member's slots
//     freed[i]     number of this member's last message that member i has read
//   then for each set:
//     slots[i]     the messages of member i: kStreamSlots slots of slot_bytes() each
//
// Each gate has one writer, member i. Numbers count the messages of a stream. All streams of a team
// start behind Team::first_stream_number, which is behind every number that the block has seen, so
// the gates need no reset when another team gets the block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/gate.hpp"
#include "base/platform.hpp"

namespace tessera {

inline constexpr std::size_t kLongStreamBlockBytes = std::size_t{1} << 20;
inline constexpr std::size_t kShortStreamBlockBytes = std::size_t{64} << 10;
inline constexpr std::uint32_t kStreamSlots = 4;  // slots of each stream; a power of two
static_assert(std::has_single_bit(kStreamSlots));

// The same on all members, as it follows from their number.
class StreamLayout {
  public:
    static constexpr int kSetsMax = 4;

    // The gates of all sets in a block.
    static constexpr std::size_t gates_bytes(std::size_t block_bytes) { return block_bytes / 8; }
    // Each member has slots of a cache line or more.
    static constexpr int members_max(std::size_t block_bytes) {
        return static_cast<int>((block_bytes - gates_bytes(block_bytes)) /
                                (kStreamSlots * kCacheLineBytes));
    }

    // REQUIRES: npes <= members_max(block_bytes).
    StreamLayout(int npes, std::size_t block_bytes)
        // With more members the slots would be too short for four sets.
        : sets_(npes <= members_max(block_bytes) / 7 ? kSetsMax : 1),
          all_gates_bytes_(gates_bytes(block_bytes)),
          gates_bytes_(all_gates_bytes_ / 2 / static_cast<std::size_t>(sets_)),
          set_bytes_((block_bytes - all_gates_bytes_) / static_cast<std::size_t>(sets_)),
          gate_stride_(std::clamp(std::bit_floor(gates_bytes_ / static_cast<std::size_t>(npes)),
                                  sizeof(Gate), std::size_t{kFalseSharingBytes})),
          slot_bytes_(set_bytes_ / static_cast<std::size_t>(npes) / kStreamSlots / kCacheLineBytes *
                      kCacheLineBytes) {}

    int sets() const { return sets_; }
    std::size_t slot_bytes() const { return slot_bytes_; }
    // Offsets in the block.
    std::size_t arrived(int set, int member) const {
        return 2 * gates_bytes_ * static_cast<std::size_t>(set) +
               gate_stride_ * static_cast<std::size_t>(member);
    }
    std::size_t freed(int set, int member) const { return arrived(set, member) + gates_bytes_; }
    std::size_t slot(int set, int member, std::uint32_t number) const {
        const std::size_t place =
            static_cast<std::size_t>(member) * kStreamSlots + number % kStreamSlots;
        return all_gates_bytes_ + set_bytes_ * static_cast<std::size_t>(set) + place * slot_bytes_;
    }

  private:
    int sets_;
    std::size_t all_gates_bytes_;
    std::size_t gates_bytes_;  // gates of each kind, in a set
    std::size_t set_bytes_;    // slots of a set
    std::size_t gate_stride_;
    std::size_t slot_bytes_;
};

}  // namespace tessera
