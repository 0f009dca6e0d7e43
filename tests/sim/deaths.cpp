// SPDX-License-Identifier: BSD-3-Clause
//
// The deaths of PEs, as their launcher sees them (tools/oshrun/survive.cpp).
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>

#include "heap/node_file.hpp"
#include "real_calls.hpp"
#include "world.hpp"

namespace sim {
namespace {

using tessera::heap::NodeHeader;
using tessera::heap::PeRecord;
using tessera::heap::PeState;

constexpr std::uint64_t kNoticeNs = 1'000'000;  // at most, from a death to its entry in the logs
std::uint32_t deaths = 0;

char* map_node(const Pe& pe) {
    constexpr std::size_t kBytes = std::size_t{1} << 20;  // the header and the records
    static std::vector<char*> nodes(static_cast<std::size_t>(world.nodes));
    char*& node = nodes[static_cast<std::size_t>(pe.node)];
    if (node == nullptr) {
        node = static_cast<char*>(
            real_mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, node_file(pe), 0));
    }
    return node;
}

const PeRecord& record_of(const Pe& pe) {
    char* node = map_node(pe);
    const auto first = std::ranges::find(world.pes, pe.node, &Pe::node);
    const auto index = static_cast<std::size_t>(pe.number - first->number);
    return reinterpret_cast<const PeRecord*>(
        node + reinterpret_cast<const NodeHeader*>(node)->records_offset)[index];
}

// Whether all PEs but those that have finalized have asked for it, and one lives.
bool is_survivable(const Pe& dead) {
    return std::ranges::all_of(world.pes,
                               [&](const Pe& pe) {
                                   const PeRecord& record = record_of(pe);
                                   return record.survives_failures != 0 ||
                                          (record.state == PeState::kFinalized && &pe != &dead);
                               }) &&
           std::ranges::any_of(world.pes, [](const Pe& pe) { return !pe.has_ended; });
}

void append(void* dead) {
    for (int node = 0; node < world.nodes; ++node) {
        const auto pe = std::ranges::find(world.pes, node, &Pe::node);
        append_failure(reinterpret_cast<NodeHeader*>(map_node(*pe))->failures, deaths,
                       static_cast<const Pe*>(dead)->number);
    }
    ++deaths;
}

}  // namespace

void note_death(const Pe& pe) {
    if (!is_survivable(pe) || deaths == tessera::kFailuresMax) {
        std::fprintf(stderr, "sim: PE %d has died, which the program does not survive\n",
                     pe.number);
        world.finish(128 + 9);
    }
    world.at(world.now() + world.random_below(kNoticeNs), append, const_cast<Pe*>(&pe));
}

void kill_some_pe() {
    Pe& pe = world.pes[world.random_below(world.pes.size())];
    if (pe.has_ended) return;
    if (is_survivable(pe) && record_of(pe).state == PeState::kInitialized) return world.kill_pe(pe);
    constexpr std::uint64_t kAgainNs = 100'000;
    world.at(
        world.now() + kAgainNs, [](void*) { kill_some_pe(); }, nullptr);
}

}  // namespace sim
