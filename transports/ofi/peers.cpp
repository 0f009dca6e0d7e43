// SPDX-License-Identifier: BSD-3-Clause
//
// See peers.hpp.
#include "transports/ofi/peers.hpp"

#include <cstring>

#include "base/fatal.hpp"

namespace tessera::ofi {

Peers::Peers(const FabricSetup& setup, const Card& own, Fabric& fabric)
    : setup_(setup), own_(own), fabric_(fabric) {
    void* zeros = std::calloc(static_cast<std::size_t>(setup.npes), sizeof(RemotePeer));
    if (zeros == nullptr) fatal("shmem_init: out of memory for a table of %d PEs", setup.npes);
    peers_.reset(static_cast<RemotePeer*>(zeros));
}

std::vector<int> Peers::known() {
    std::lock_guard guard(lock_);
    return known_;
}

void Peers::look_up(int pe) {
    std::lock_guard guard(lock_);
    RemotePeer& peer = peers_[static_cast<std::size_t>(pe)];
    if (peer.is_known.load(std::memory_order_relaxed)) return;
    const Card card = card_of(pe);
    std::memcpy(peer.keys, card.keys, sizeof peer.keys);
    std::memcpy(peer.bases, card.bases, sizeof peer.bases);
    peer.message_key = card.message_key;
    peer.program_digest = card.program_digest;
    peer.address = fabric_.add_peer({card.address, card.address_bytes}, card.admission_key);
    known_.push_back(pe);
    peer.is_known.store(true, std::memory_order_release);
}

Card Peers::card_of(int pe) {
    auto* slot =
        reinterpret_cast<CardSlot*>(setup_.cards + static_cast<std::size_t>(pe) * kFabricCardBytes);
    // Acquire: pairs with the release below, in whichever PE of the node came first.
    if (slot->state.load(std::memory_order_acquire) == CardSlot::kFilled) return slot->card;

    Card card;
    const std::vector<std::byte> bytes = setup_.card_of(pe);
    if (bytes.size() == sizeof card) std::memcpy(&card, bytes.data(), sizeof card);
    if (bytes.size() != sizeof card || card.magic != Card::kMagic ||
        card.address_bytes > Card::kAddressBytesMax) {
        fatal("PE %d uses another version of Tessera; link all PEs with the same library", pe);
    }
    if (card.settings_digest != setup_.settings_digest) {
        fatal("shmem_init: %s; start all PEs with the same environment",
              setup_.difference(card.setting_marks, pe).c_str());
    }
    if (std::memcmp(card.provider, own_.provider, sizeof card.provider) != 0) {
        fatal(
            "this PE uses the libfabric provider %s, PE %d on another node %.*s; name one that all "
            "hosts have by SHMEM_OFI_PROVIDER",
            own_.provider, pe, static_cast<int>(sizeof card.provider - 1), card.provider);
    }
    std::uint32_t expected = CardSlot::kEmpty;
    if (slot->state.compare_exchange_strong(expected, CardSlot::kClaimed,
                                            std::memory_order_relaxed)) {
        slot->card = card;
        slot->state.store(CardSlot::kFilled, std::memory_order_release);
    }
    return card;
}

}  // namespace tessera::ofi
