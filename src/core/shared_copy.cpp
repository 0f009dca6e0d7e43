// SPDX-License-Identifier: BSD-3-Clause
//
// See shared_copy.hpp.
#include "core/shared_copy.hpp"

#include <algorithm>
#include <optional>

#include "base/copy.hpp"
#include "base/futex.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"

namespace tessera {
namespace {

// A helper that has just begun a piece delays the end by the time of one piece: 30 to 100 us.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

struct HeapOffset {
    std::uint32_t pe;
    std::uint64_t offset;
};

std::uint32_t me() { return static_cast<std::uint32_t>(address_map.my_pe); }

SharedCopyOffer& offer_to(std::uint32_t pe) {
    return segment_of(address_map.peers[pe].sleeper).shared_copy;
}

// May miss a PE that falls asleep just now, which then does not help.
void wake_helper(std::uint32_t pe) {
    InternalSegment& segment = segment_of(address_map.peers[pe].sleeper);
    const std::int64_t distance = segment.shared_copy.sleeping_on.load(std::memory_order_relaxed);
    if (distance == 0) return;
    char* word = reinterpret_cast<char*>(&segment) + distance;
    futex_wake_all(*reinterpret_cast<std::atomic<std::uint32_t>*>(word));
}

std::uint64_t piece_count(std::uint64_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

// The PE whose heap holds the bytes, as mapped here, and their offset.
std::optional<HeapOffset> heap_offset_of(const char* address, std::size_t bytes) {
    if (bytes > address_map.heap_bytes) return std::nullopt;
    for (std::uint32_t pe = 0; pe < address_map.npes; ++pe) {
        const char* heap = address_map.peers[pe].heap;
        const std::size_t offset =
            reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(heap);
        if (heap != nullptr && offset <= address_map.heap_bytes - bytes) {
            return HeapOffset{.pe = pe, .offset = offset};
        }
    }
    return std::nullopt;
}

void copy_piece_of(char* dest, const char* source, std::uint64_t piece, std::uint64_t bytes) {
    const std::size_t start = piece * kPieceBytes;
    copy_piece(dest + start, source + start, std::min(kPieceBytes, bytes - start), bytes);
}

// RETURNS when: all is copied (true), or nothing: no PE could help.
bool share(char* dest, const char* source, std::size_t bytes) {
    const std::optional<HeapOffset> to = heap_offset_of(dest, bytes);
    const std::optional<HeapOffset> from = heap_offset_of(source, bytes);
    if (!to || !from || (to->pe == me()) == (from->pe == me())) return false;
    const std::uint32_t helper = to->pe == me() ? from->pe : to->pe;
    SharedCopyOffer& offer = offer_to(helper);
    if (offer.is_taken.exchange(1, std::memory_order_acquire) != 0) return false;
    offer.pieces_helped.store(0, std::memory_order_relaxed);
    offer.source_pe.store(from->pe, std::memory_order_release);
    offer.dest_pe.store(to->pe, std::memory_order_release);
    offer.source_offset.store(from->offset, std::memory_order_release);
    offer.dest_offset.store(to->offset, std::memory_order_release);
    offer.bytes.store(bytes, std::memory_order_release);
    const std::uint64_t number = (offer.next.load(std::memory_order_relaxed) >> 32) + 1;
    // Release: pairs with help_with_copies(), which also reads the source. The program's own stores
    // to the source come before.
    offer.next.store(number << 32, std::memory_order_release);
    wake_helper(helper);
    const std::uint64_t count = piece_count(bytes);
    std::uint32_t mine = 0;
    for (;; ++mine) {
        const std::uint64_t piece =
            offer.next.fetch_add(1, std::memory_order_relaxed) & 0xffffffffU;
        if (piece >= count) break;
        copy_piece_of(dest, source, piece, bytes);
    }
    // Acquire: pairs with the helper's release.
    wait_until([&] { return offer.pieces_helped.load(std::memory_order_acquire) + mine == count; },
               "a copy shared with another PE");
    offer.bytes.store(0, std::memory_order_release);
    offer.is_taken.store(0, std::memory_order_release);
    return true;
}

}  // namespace

bool help_with_copies() {
    SharedCopyOffer& offer = offer_to(me());
    std::uint64_t next = offer.next.load(std::memory_order_acquire);
    const std::uint64_t bytes = offer.bytes.load(std::memory_order_acquire);
    const std::uint64_t piece = next & 0xffffffffU;
    if (piece >= piece_count(bytes)) return false;
    const std::uint32_t source_pe = offer.source_pe.load(std::memory_order_acquire);
    const std::uint32_t dest_pe = offer.dest_pe.load(std::memory_order_acquire);
    const std::uint64_t source_offset = offer.source_offset.load(std::memory_order_acquire);
    const std::uint64_t dest_offset = offer.dest_offset.load(std::memory_order_acquire);
    // Succeeds only if the offer has not changed since it was read.
    if (!offer.next.compare_exchange_strong(next, next + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
        return true;  // Another PE has it; look again.
    }
    copy_piece_of(address_map.peers[dest_pe].heap + dest_offset,
                  address_map.peers[source_pe].heap + source_offset, piece, bytes);
    offer.pieces_helped.fetch_add(1, std::memory_order_release);
    return true;
}

void start_sharing_copies() { set_shared_copy(share); }

void stop_sharing_copies() { set_shared_copy(nullptr); }

}  // namespace tessera
