// SPDX-License-Identifier: BSD-3-Clause
//
// See peers.hpp.
#include "transports/ofi/peers.hpp"

#include <cstring>

#include "base/cancellation.hpp"
#include "base/fatal.hpp"

namespace tessera::ofi {

Peers::Peers(const FabricSetup& setup, const EndpointInfo& own, Fabric& fabric)
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
    const NoCancellation no_cancellation;
    std::lock_guard guard(lock_);
    RemotePeer& peer = peers_[static_cast<std::size_t>(pe)];
    if (peer.is_known.load(std::memory_order_relaxed)) return;
    const EndpointInfo info = endpoint_info_of(pe);
    std::memcpy(peer.keys, info.keys, sizeof peer.keys);
    std::memcpy(peer.bases, info.bases, sizeof peer.bases);
    peer.message_key = info.message_key;
    peer.program_digest = info.fingerprint.program_digest;
    peer.address = fabric_.add_peer({info.address, info.address_bytes}, info.admission_key);
    known_.push_back(pe);
    // Pairs with transports/ofi/peers.hpp:operator[].
    peer.is_known.store(true, std::memory_order_release);
}

EndpointInfo Peers::endpoint_info_of(int pe) {
    auto* slot = reinterpret_cast<EndpointSlot*>(setup_.endpoint_table +
                                                 static_cast<std::size_t>(pe) * kEndpointSlotBytes);
    // The first PE of the node has filled it. Pairs with transports/ofi/peers.cpp:endpoint_info_of.
    if (slot->state.load(std::memory_order_acquire) == EndpointSlot::kFilled) return slot->info;

    EndpointInfo info;
    const std::vector<std::byte> bytes = setup_.endpoint_info_of(pe);
    if (bytes.size() == sizeof info) std::memcpy(&info, bytes.data(), sizeof info);
    if (bytes.size() != sizeof info || info.magic != EndpointInfo::kMagic ||
        info.address_bytes > EndpointInfo::kAddressBytesMax) {
        fatal("PE %d uses another version of Tessera; link all PEs with the same library", pe);
    }
    setup_.check_settings(info.fingerprint, pe);
    if (std::memcmp(info.provider, own_.provider, sizeof info.provider) != 0) {
        fatal(
            "this PE uses the libfabric provider %s, PE %d on another node %.*s; name one that all "
            "hosts have by SHMEM_OFI_PROVIDER",
            own_.provider, pe, static_cast<int>(sizeof info.provider - 1), info.provider);
    }
    std::uint32_t expected = EndpointSlot::kEmpty;
    if (slot->state.compare_exchange_strong(expected, EndpointSlot::kClaimed,
                                            std::memory_order_relaxed)) {
        slot->info = info;
        // Pairs with transports/ofi/peers.cpp:endpoint_info_of of other PEs.
        slot->state.store(EndpointSlot::kFilled, std::memory_order_release);
    }
    return info;
}

}  // namespace tessera::ofi
