// SPDX-License-Identifier: BSD-3-Clause
//
// See packet_pool.hpp.
#include "transports/ofi/packet_pool.hpp"

namespace tessera::ofi {
namespace {

// A slot's token is its context's, with the number of the slot above.
constexpr unsigned kSlotShift = TokenPool<PacketSlot*>::kTokenBits;
constexpr std::uint64_t kContextMask = (std::uint64_t{1} << kSlotShift) - 1;

}  // namespace

Packet* PacketPool::take() {
    std::lock_guard guard(lock_);
    if (free_.empty()) {
        all_.push_back(std::make_unique<Packet>());
        free_.push_back(all_.back().get());
    }
    Packet* packet = free_.back();
    free_.pop_back();
    return packet;
}

void PacketPool::put_back(Packet* packet) {
    std::lock_guard guard(lock_);
    free_.push_back(packet);
}

SlotsEntry& PacketPool::add_slots(PacketSlot* slots) {
    SlotsEntry& entry = slots_.take(slots);
    const std::uint64_t token = entry.token.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < kSlotsPerContext; ++i)
        slots[i].token = std::uint64_t{i} << kSlotShift | token;
    return entry;
}

PacketSlot* PacketPool::find_slot(std::uint64_t token) const {
    const SlotsEntry* entry = slots_.find(token & kContextMask);
    const std::uint64_t number = token >> kSlotShift;
    if (entry == nullptr || number >= kSlotsPerContext) return nullptr;
    return entry->object + number;
}

}  // namespace tessera::ofi
