// SPDX-License-Identifier: BSD-3-Clause
//
// How a PE offers pieces of a long copy to another PE of its node (progress/shared_copy.hpp). The
// offer lies in the internal segment of the PE that may help, and is zero at first. It has one copy
// at a time: a PE that finds it taken copies alone.
//
//   next   number of the copy << 32 | next piece
//
// The PE that raises `next` owns that piece. Pieces of a copy that has ended are never claimed,
// though its helper may still look at the offer while the next copy is written into it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/platform.hpp"

namespace tessera {

class SharedCopyOffer {
  public:
    // A helper that has just begun a piece delays the end by the time of one piece: 30 to 100 us.
    static constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

    // From which PE's heap into which, offsets and bytes.
    struct Copy {
        std::uint32_t source_pe = 0;
        std::uint32_t dest_pe = 0;
        std::uint64_t source_offset = 0;
        std::uint64_t dest_offset = 0;
        std::uint64_t bytes = 0;

        std::uint64_t pieces() const { return (bytes + kPieceBytes - 1) / kPieceBytes; }
        std::uint64_t bytes_of(std::uint64_t piece) const {
            return std::min(kPieceBytes, bytes - piece * kPieceBytes);
        }
    };
    struct Piece {
        Copy copy;
        std::uint64_t number = 0;
    };

    // ---- For the PE that copies, in this order ----

    // RETURNS: false: another PE uses the offer.
    // Acquire: pairs with release(): the members below belong to one PE at a time.
    bool take() { return is_taken_.exchange(1, std::memory_order_acquire) == 0; }
    void offer(const Copy& copy);
    // The number of a piece that the caller copies itself; nullopt: all are claimed.
    std::optional<std::uint64_t> claim_own() {
        const std::uint64_t piece = next_.fetch_add(1, std::memory_order_relaxed) & kPieces;
        if (piece < piece_count(bytes_.load(std::memory_order_relaxed))) return piece;
        return std::nullopt;
    }
    // Acquire: pairs with finish(). REQUIRES: all pieces are claimed, `own` of them by this PE.
    bool is_complete(std::uint64_t own) const {
        return pieces_helped_.load(std::memory_order_acquire) + own ==
               piece_count(bytes_.load(std::memory_order_relaxed));
    }
    void release() { is_taken_.store(0, std::memory_order_release); }

    // ---- For the PE that helps ----

    // A piece that the caller must copy, and then finish().
    std::optional<Piece> claim();
    // Release: the piece is copied.
    void finish() { pieces_helped_.fetch_add(1, std::memory_order_release); }

    // The word on which the helper sleeps: WaitEnvironment::sleep_note, relative to the segment.
    std::atomic<std::int64_t>& sleeping_on() { return sleeping_on_; }

  private:
    static constexpr unsigned kNumberShift = 32;
    static constexpr std::uint64_t kPieces = 0xffffffff;

    static std::uint64_t piece_count(std::uint64_t bytes) { return Copy{.bytes = bytes}.pieces(); }

    alignas(kFalseSharingBytes) std::atomic<std::int64_t> sleeping_on_;

    // Number and next piece, see above.
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> next_;

    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> is_taken_;  // 1: some PE uses the offer
    std::atomic<std::uint32_t> pieces_helped_;
    // The copy. Release and acquire: a helper that has read a member of a later copy cannot claim
    // by the `next` of an earlier one.
    std::atomic<std::uint32_t> source_pe_;
    std::atomic<std::uint32_t> dest_pe_;
    std::atomic<std::uint64_t> source_offset_;
    std::atomic<std::uint64_t> dest_offset_;
    std::atomic<std::uint64_t> bytes_;
};

}  // namespace tessera
