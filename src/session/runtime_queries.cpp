// SPDX-License-Identifier: BSD-3-Clause
//
// The queries of runtime.hpp and team.hpp about this PE, its heap and its peers, valid between init
// and finalize.
#include <memory>
#include <string_view>
#include <vector>

#include "core/address_map.hpp"
#include "session/live.hpp"
#include "teams/stream_blocks.hpp"
#include "teams/team.hpp"

namespace tessera {

Epochs& epochs() { return *live->epochs; }

heap::Allocator& heap_allocator() { return *live->allocator; }

heap::TeamMemory& team_memory() { return *live->team_memory; }

const heap::MemoryRange& memory_range() { return live->node->header().range; }

char* heap_address(std::size_t offset) {
    return reinterpret_cast<char*>(address_map.heap_base) + offset;
}

std::size_t heap_offset(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - address_map.heap_base;
}

double cores_per_pe() {
    return static_cast<double>(live->node->header().usable_cores) / live->job.npes_of_host;
}

std::string_view fabric_provider() {
    if (live->fabric == nullptr) return {};
    return live->fabric->provider();
}

std::size_t cache_bytes() { return live->node->facts().caches_bytes(); }

bool is_on_this_node(int world_pe) { return live->node->peers()[world_pe].sleeper != nullptr; }

int first_pe_of_node(int world_pe) {
    const std::vector<int>& names = live->job.first_pes;
    return names.empty() ? 0 : names[static_cast<std::size_t>(world_pe)];
}

TeamFlags* team_flags(std::uint32_t slot) {
    return team_flags_of(live->node->internal(live->job.local_index), slot);
}

TeamFlags* mapped_team_flags(int world_pe, std::uint32_t slot) {
    if (!is_on_this_node(world_pe)) return nullptr;
    return team_flags_of(live->node->internal_of(world_pe), slot);
}

TeamMailboxes* team_mailboxes(std::uint32_t slot) {
    return team_mailboxes_of(live->node->internal(live->job.local_index), slot);
}

TeamMailboxes* mapped_team_mailboxes(int world_pe, std::uint32_t slot) {
    Sleeper* sleeper = address_map.peers[world_pe].sleeper;
    if (sleeper == nullptr) return nullptr;
    return team_mailboxes_of(segment_of(sleeper), slot);
}

char* stream_block(std::uint32_t slot) {
    return stream_block_of(live->node->internal(live->job.local_index), slot);
}

char* mapped_stream_block(int world_pe, std::uint32_t slot) {
    Sleeper* sleeper = address_map.peers[world_pe].sleeper;
    return sleeper != nullptr ? stream_block_of(segment_of(sleeper), slot) : nullptr;
}

void renew_stream_block(std::uint32_t slot, std::uint32_t number) {
    auto* gates = reinterpret_cast<Gate*>(stream_block(slot));
    for (std::size_t i = 0; i < kStreamGatesBytes / sizeof(Gate); ++i) gates[i].reset(number);
}

std::unique_ptr<TransportContext> make_transport_context(const TransportContext::Options& options) {
    if (live->fabric) return live->fabric->make_context(options);
    return std::make_unique<TransportContext>();
}

void publish_allocation_digest(std::uint64_t digest) {
    live->node->internal(live->job.local_index).allocation_digest = digest;
}

int pe_with_other_allocation(std::uint64_t digest) {
    const InternalSegment& mine = live->node->internal(live->job.local_index);
    for (int pe = 0; pe < live->job.npes; ++pe) {
        std::uint64_t other = 0;
        if (is_on_this_node(pe)) {
            other = live->node->internal_of(pe).allocation_digest;
        } else {
            live->fabric->get(*live->collective_transport_context, &other, &mine.allocation_digest,
                              sizeof other, pe);
        }
        if (other != digest) return pe;
    }
    return -1;
}

}  // namespace tessera
