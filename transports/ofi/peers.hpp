// SPDX-License-Identifier: BSD-3-Clause
//
// The PEs of other nodes, as this PE addresses them. A PE is looked up when it is first needed: its
// EndpointInfo comes from the table that the PEs of this node share or, the first time on the node,
// from the launcher. A remote PE takes no private memory before that, 88 bytes afterwards, and some
// 50 where it admits PEs of the job only.
// THREADS: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutexes.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/ofi/endpoint_info.hpp"
#include "transports/ofi/fabric.hpp"

namespace tessera::ofi {

// A row of the shared table. The PE that claims it writes the EndpointInfo; until that is done the
// others use their own copy.
struct EndpointSlot {
    enum State : std::uint32_t { kEmpty, kClaimed, kFilled };
    std::atomic<std::uint32_t> state;
    EndpointInfo info;
};
static_assert(sizeof(EndpointSlot) <= kEndpointSlotBytes);

struct RemotePeer {
    fi_addr_t address;
    std::uint64_t keys[kSegments];
    std::uint64_t bases[kSegments];
    std::uint64_t message_key;
    std::uint64_t program_digest;
    std::atomic<bool> is_known;
};

class Peers {
  public:
    Peers(const FabricSetup& setup, const EndpointInfo& own, Fabric& fabric);

    // COST: a load and a branch once the peer is known; before that a look-up.
    const RemotePeer& operator[](int pe) {
        RemotePeer& peer = peers_[static_cast<std::size_t>(pe)];
        // Pairs with transports/ofi/peers.cpp:look_up.
        if (!peer.is_known.load(std::memory_order_acquire)) [[unlikely]]
            look_up(pe);
        return peer;
    }
    // PEs looked up so far, for pings.
    std::vector<int> known();

  private:
    void look_up(int pe);
    EndpointInfo endpoint_info_of(int pe);

    struct Free {
        void operator()(RemotePeer* peers) const { std::free(peers); }
    };
    const FabricSetup& setup_;
    const EndpointInfo& own_;
    Fabric& fabric_;
    std::unique_ptr<RemotePeer[], Free> peers_;  // pages of zeros until a peer is looked up
    ShortMutex lock_;                            // look_up() and known()
    std::vector<int> known_;
};

}  // namespace tessera::ofi
