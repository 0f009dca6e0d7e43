// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs of a node look up a PE of another node: one in two threads, the other one in a third.
// Each one needs the whole EndpointInfo, from the launcher or from the table of the node. Behind
// them the table has it. For GenMC alone: peers.cpp needs a fabric.
#include "transports/ofi/peers.hpp"

#include <cstring>

#include "few_peers.hpp"
#include "protocol.hpp"

namespace tessera {
namespace protocols {

using ofi::EndpointInfo;
using ofi::EndpointSlot;

constexpr std::uint64_t kKey = 7;

constinit EndpointInfo published{.fingerprint = {},
                                 .message_key = kKey,
                                 .admission_key = kKey,
                                 .keys = {kKey},
                                 .bases = {kKey},
                                 .provider = {},
                                 .address_bytes = 8,
                                 .address = kKey};
std::vector<std::byte> from_launcher(int /*pe*/) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&published);
    return {bytes, bytes + sizeof published};
}

struct Harness {
    alignas(64) char table[kEndpointSlotBytes];
    alignas(8) char rows[2][sizeof(ofi::RemotePeer)];
    int rows_made;

    static void look(ofi::Peers& peers) {
        const ofi::RemotePeer& peer = peers[0];
        check(peer.keys[0] == kKey && peer.bases[0] == kKey && peer.address == kKey);
    }
    void run();
};
Harness* the_harness = nullptr;

void Harness::run() {
    the_harness = this;
    const FabricSetup setup{.npes = 1, .endpoint_table = table, .endpoint_info_of = from_launcher};
    const EndpointInfo own{};
    ofi::Fabric fabric;
    ofi::Peers first(setup, own, fabric);
    ofi::Peers second(setup, own, fabric);
    in_parallel([&] { look(first); }, [&] { look(first); }, [&] { look(second); });
    const auto* slot = reinterpret_cast<const EndpointSlot*>(table);
    check(slot->state == EndpointSlot::kFilled && slot->info.message_key == kKey);
}

}  // namespace protocols
}  // namespace tessera

extern "C" void* calloc(std::size_t /*count*/, std::size_t /*bytes*/) noexcept {
    auto& harness = *tessera::protocols::the_harness;
    return harness.rows[harness.rows_made++];
}
extern "C" void free(void* /*memory*/) noexcept {}
extern "C" int memcmp(const void* a, const void* b, std::size_t /*bytes*/) noexcept {
    return *static_cast<const std::uint64_t*>(a) != *static_cast<const std::uint64_t*>(b);
}

int main() { return tessera::protocols::explore<tessera::protocols::Harness>(); }
