// SPDX-License-Identifier: BSD-3-Clause
//
// The pieces that go around a ring, for ring.cpp and for the lanes of hierarchical.cpp: the cut of
// a range of the vector. Pieces reach a neighbour on another node through a window
// (patterns/window.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "base/platform.hpp"
#include "collectives/model.hpp"
#include "collectives/patterns/window.hpp"

namespace tessera::collectives {

// The size of a piece, and the number of pieces that the receiver's buffer holds.
inline constexpr std::uint32_t kRingSlots = 4;
inline constexpr std::size_t kRingPieceBytes = kMailboxRounds / kRingSlots * kSlotBytes;

inline WindowSlots ring_slots() { return {.count = kRingSlots, .bytes = kRingPieceBytes}; }

// Off-node latencies of a ring for all pieces but the first one, which arrive while PEs work: none
// where each PE has a core. Otherwise a piece waits until its receiver gets a core.
inline double ring_turns(const TeamLayout& team, double blocks, double block_bytes) {
    if (!team.is_oversubscribed()) return 0;
    const auto piece = static_cast<double>(kRingPieceBytes);
    return 2 * blocks * std::max(0.0, block_bytes / piece - 1);
}

// A range of bytes, as one of `count` blocks for each member of the ring. In step s of the
// reduce-scatter a member takes block `position - 1 - s` from its left, in pieces: messages are
// numbered through all steps, also the empty ones of short blocks.
class RingCut {
  public:
    struct Piece {
        std::size_t at;
        std::size_t bytes;
    };

    // `nominal` bytes: of the longest range that any ring of this collective has.
    RingCut(int position, int count, Piece range, std::size_t nominal)
        : position_(position), count_(count), range_(range) {
        const std::size_t share = (nominal + blocks() - 1) / blocks();
        // Whole cache lines, so that no two members write to the same one.
        block_bytes_ = round_up(share, kCacheLineBytes);
        pieces_ =
            static_cast<std::uint32_t>((block_bytes_ + kRingPieceBytes - 1) / kRingPieceBytes);
    }

    std::uint32_t messages() const { return static_cast<std::uint32_t>(count_ - 1) * pieces_; }
    int step_of(std::uint32_t message) const { return static_cast<int>(message / pieces_); }

    // The block of the member so many places to the right.
    Piece block(int distance) const {
        const auto number =
            static_cast<std::size_t>(((position_ + distance) % count_ + count_) % count_);
        const std::size_t begin = std::min(number * block_bytes_, range_.bytes);
        const std::size_t end = std::min(begin + block_bytes_, range_.bytes);
        return {.at = range_.at + begin, .bytes = end - begin};
    }
    // A piece of that block.
    Piece piece(int distance, std::uint32_t message) const {
        const Piece whole = block(distance);
        const std::size_t at = std::min(message % pieces_ * kRingPieceBytes, whole.bytes);
        return {.at = whole.at + at, .bytes = std::min(kRingPieceBytes, whole.bytes - at)};
    }
    Piece offered(std::uint32_t message) const { return piece(-step_of(message), message); }
    Piece taken(std::uint32_t message) const { return piece(-1 - step_of(message), message); }

  private:
    std::size_t blocks() const { return static_cast<std::size_t>(count_); }

    int position_;
    int count_;
    Piece range_;
    std::size_t block_bytes_ = 0;
    std::uint32_t pieces_ = 0;
};

}  // namespace tessera::collectives
