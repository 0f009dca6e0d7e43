// SPDX-License-Identifier: BSD-3-Clause
//
// See segments.hpp: the way to registered segments of other PEs of this node. The PE makes it with
// its first segment, and publishes in its internal segment how to reach it.
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/mutexes.hpp"
#include "base/random_number.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "memory/segments.hpp"
#include "transports/node_transports.hpp"

namespace tessera {

struct SegmentTransport {
    std::uint64_t proof = 0;  // other PEs read it to know this process
    std::unique_ptr<FabricTransport> helper;
    std::unique_ptr<Transport> transport;
};

namespace {

// Nothing, where the PE has not come to its first segment: then this PE does not address it.
std::vector<std::byte> endpoint_info_of(int pe) {
    const SegmentHelp& help = segment_of(pe_state.peers[pe].sleeper).segment_help;
    return {help.endpoint, help.endpoint + help.endpoint_bytes};
}

NodeProcess process_of(int pe) {
    const SegmentHelp& help = segment_of(pe_state.peers[pe].sleeper).segment_help;
    return {.pid = help.pid, .proof = help.proof, .random_number = help.random_number};
}

FabricSetup describe_helper() {
    FabricSetup setup = pe_state.describe_fabric();
    setup.is_one_host = true;  // The transport reaches PEs of this host only.
    setup.has_progress_thread = true;
    setup.background = nullptr;
    setup.looks_up_late = true;
    setup.endpoint_info_of = endpoint_info_of;
    return setup;
}

void publish(const SegmentTransport& mine) {
    SegmentHelp& help = pe_state.internal->segment_help;
    const std::vector<std::byte> endpoint = mine.helper->endpoint_info();
    if (endpoint.size() > sizeof help.endpoint) fatal("shmemx_register: an address is too long");
    std::memcpy(help.endpoint, endpoint.data(), endpoint.size());
    help.endpoint_bytes = static_cast<std::uint32_t>(endpoint.size());
    help.pid = ::getpid();
    help.proof = reinterpret_cast<std::uintptr_t>(&mine.proof);
    help.random_number = mine.proof;
}

}  // namespace

void Segments::open_transport() {
    std::lock_guard guard(opening_);
    if (transport_.load(std::memory_order_relaxed) != nullptr) return;
    auto* mine = new SegmentTransport;
    mine->proof = random_number();
    mine->helper = make_fabric("loopback", describe_helper());
    publish(*mine);
    mine->helper->start();
    mine->transport = make_registered_transport(*this, *mine->helper, process_of, pe_state.npes);
    // Pairs with memory/segment_transport.cpp:transport_to.
    transport_.store(mine, std::memory_order_release);
}

int keeper_of_table(const Team& team) {
    int index = 0;
    while (address_map.peers[team.world_pe(index)].heap == nullptr) ++index;
    return index;
}

void publish_pages(const heap::PagesOffer& offer) { pe_state.internal->segment_help.pages = offer; }

heap::PagesOffer published_pages(int pe) {
    return segment_of(pe_state.peers[pe].sleeper).segment_help.pages;
}

FabricTransport::Region open_region(const Team& team, const SegmentPart& mine) {
    if (team.is_on_one_node || mine.bytes == 0) return {};
    return address_map.fabric->register_memory(reinterpret_cast<void*>(mine.address), mine.bytes);
}

void close_region(const FabricTransport::Region& region) {
    if (region.handle != nullptr) address_map.fabric->unregister_memory(region);
}

Transport& Segments::transport_to(int pe) const {
    const bool is_on_this_node = address_map.peers[pe].heap != nullptr;
    if (!is_on_this_node) return *address_map.fabric;
    // Pairs with memory/segment_transport.cpp:open_transport.
    return *transport_.load(std::memory_order_acquire)->transport;
}

void Segments::close_transport() { delete transport_.exchange(nullptr, std::memory_order_relaxed); }

}  // namespace tessera
