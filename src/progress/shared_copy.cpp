// SPDX-License-Identifier: BSD-3-Clause
//
// See shared_copy.hpp.
#include "progress/shared_copy.hpp"

#include <optional>

#include "base/copy.hpp"
#include "base/futex.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"
#include "progress/shared_copy_offer.hpp"

namespace tessera {
namespace {

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
    const std::int64_t distance = segment.shared_copy.sleeping_on().load(std::memory_order_relaxed);
    if (distance == 0) return;
    char* word = reinterpret_cast<char*>(&segment) + distance;
    futex_wake_all(*reinterpret_cast<std::atomic<std::uint32_t>*>(word));
}

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

void copy_piece_of(char* dest, const char* source, const SharedCopyOffer::Copy& copy,
                   std::uint64_t piece) {
    const std::size_t start = piece * SharedCopyOffer::kPieceBytes;
    copy_piece(dest + start, source + start, copy.bytes_of(piece), copy.bytes);
}

// RETURNS when: all is copied (true), or nothing: no PE could help.
bool share(char* dest, const char* source, std::size_t bytes) {
    const std::optional<HeapOffset> to = heap_offset_of(dest, bytes);
    const std::optional<HeapOffset> from = heap_offset_of(source, bytes);
    if (!to || !from || (to->pe == me()) == (from->pe == me())) return false;
    const std::uint32_t helper = to->pe == me() ? from->pe : to->pe;
    SharedCopyOffer& offer = offer_to(helper);
    if (!offer.take()) return false;
    const SharedCopyOffer::Copy copy{.source_pe = from->pe,
                                     .dest_pe = to->pe,
                                     .source_offset = from->offset,
                                     .dest_offset = to->offset,
                                     .bytes = bytes};
    offer.offer(copy);
    wake_helper(helper);
    std::uint64_t own = 0;
    for (; const auto piece = offer.claim_own(); ++own) copy_piece_of(dest, source, copy, *piece);
    wait_until([&] { return offer.is_complete(own); }, "a copy shared with another PE");
    offer.release();
    return true;
}

}  // namespace

bool help_with_copies() {
    SharedCopyOffer& offer = offer_to(me());
    const auto piece = offer.claim();
    if (!piece) return false;
    const SharedCopyOffer::Copy& copy = piece->copy;
    copy_piece_of(address_map.peers[copy.dest_pe].heap + copy.dest_offset,
                  address_map.peers[copy.source_pe].heap + copy.source_offset, copy, piece->number);
    offer.finish();
    return true;
}

void start_sharing_copies() { set_shared_copy(share); }

void stop_sharing_copies() { set_shared_copy(nullptr); }

}  // namespace tessera
