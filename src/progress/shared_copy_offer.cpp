// SPDX-License-Identifier: BSD-3-Clause
//
// See shared_copy_offer.hpp.
#include "progress/shared_copy_offer.hpp"

namespace tessera {

void SharedCopyOffer::offer(const Copy& copy) {
    const std::uint64_t number = (next_.load(std::memory_order_relaxed) >> kNumberShift) + 1;
    // No piece is left while the members change: the last copy may have had fewer than this one.
    // Relaxed: a helper that reads this number finds no piece, whatever members it reads with it.
    next_.store(number << kNumberShift | kPieces, std::memory_order_relaxed);
    pieces_helped_.store(0, std::memory_order_relaxed);
    source_pe_.store(copy.source_pe, std::memory_order_release);
    dest_pe_.store(copy.dest_pe, std::memory_order_release);
    source_offset_.store(copy.source_offset, std::memory_order_release);
    dest_offset_.store(copy.dest_offset, std::memory_order_release);
    bytes_.store(copy.bytes, std::memory_order_release);
    // Release: pairs with claim(), whose caller also reads the source. The program's own stores to
    // the source come before.
    next_.store(number << kNumberShift, std::memory_order_release);
}

std::optional<SharedCopyOffer::Piece> SharedCopyOffer::claim() {
    // Acquire: pairs with offer().
    std::uint64_t next = next_.load(std::memory_order_acquire);
    for (;;) {
        const Piece piece{.copy = {.source_pe = source_pe_.load(std::memory_order_acquire),
                                   .dest_pe = dest_pe_.load(std::memory_order_acquire),
                                   .source_offset = source_offset_.load(std::memory_order_acquire),
                                   .dest_offset = dest_offset_.load(std::memory_order_acquire),
                                   .bytes = bytes_.load(std::memory_order_acquire)},
                          .number = next & kPieces};
        if (piece.number >= piece.copy.pieces()) return std::nullopt;
        // Fails if the offer has changed since it was read.
        if (next_.compare_exchange_weak(next, next + 1, std::memory_order_acquire)) return piece;
    }
}

}  // namespace tessera
