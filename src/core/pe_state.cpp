// SPDX-License-Identifier: BSD-3-Clause
//
// See pe_state.hpp.
#include "core/pe_state.hpp"

#include "core/phase.hpp"

namespace tessera {

constinit PeState pe_state;
constinit std::atomic<Phase> phase{Phase::kBeforeInit};

int thread_level() { return pe_state.thread_level; }

heap::Allocator& heap_allocator() { return *pe_state.allocator; }

heap::TeamMemory& team_memory() { return *pe_state.team_memory; }

const heap::MemoryRange& memory_range() { return pe_state.header->range; }

char* heap_address(std::size_t offset) {
    return reinterpret_cast<char*>(address_map.heap_base) + offset;
}

std::size_t heap_offset(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - address_map.heap_base;
}

double cores_per_pe() {
    return static_cast<double>(pe_state.header->usable_cores) / pe_state.npes_of_host;
}

std::string_view fabric_provider() {
    return pe_state.fabric == nullptr ? std::string_view{} : pe_state.fabric->provider();
}

std::size_t cache_bytes() { return pe_state.cache_bytes; }

bool is_on_this_node(int world_pe) { return pe_state.peers[world_pe].sleeper != nullptr; }

int first_pe_of_node(int world_pe) {
    return pe_state.node_names == nullptr ? 0 : pe_state.node_names->first_pe(world_pe);
}

std::unique_ptr<TransportContext> make_transport_context(const TransportContext::Options& options) {
    if (pe_state.fabric != nullptr) return pe_state.fabric->make_context(options);
    return std::make_unique<TransportContext>(options);
}

}  // namespace tessera
