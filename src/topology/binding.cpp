// SPDX-License-Identifier: BSD-3-Clause
//
// See binding.hpp. First the cores are put in the order in which PEs take them, then each PE gets
// its core, or the NUMA node around its core.
#include "topology/binding.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::topology {
namespace {

// One core of each NUMA node in turn, for as long as the node has any left.
std::vector<CoreFacts> cores_in_turn_over_numa_nodes(const Facts& facts) {
    std::vector<std::vector<CoreFacts>> nodes;
    for (const CoreFacts& core : cores_of(facts)) {
        auto node = std::find_if(nodes.begin(), nodes.end(), [&core](const auto& cores) {
            return cores.front().numa_node == core.numa_node;
        });
        if (node == nodes.end()) node = nodes.insert(nodes.end(), std::vector<CoreFacts>());
        node->push_back(core);
    }
    std::vector<CoreFacts> order;
    for (std::size_t turn = 0; order.size() < facts.ncores_listed; ++turn) {
        for (const std::vector<CoreFacts>& cores : nodes) {
            if (turn < cores.size()) order.push_back(cores[turn]);
        }
    }
    return order;
}

std::vector<CoreFacts> cores_in_order(const Facts& facts, MapBy map_by) {
    if (map_by == MapBy::kNuma) return cores_in_turn_over_numa_nodes(facts);
    const std::span<const CoreFacts> cores = cores_of(facts);
    return {cores.begin(), cores.end()};
}

void append_pus(std::vector<std::uint32_t>& to, const Facts& facts, const CoreFacts& core) {
    const std::span<const std::uint32_t> pus = pus_of(facts, core);
    to.insert(to.end(), pus.begin(), pus.end());
}

std::vector<std::uint32_t> pus_of_numa_node(const Facts& facts, std::uint16_t numa_node) {
    std::vector<std::uint32_t> pus;
    for (const CoreFacts& core : cores_of(facts)) {
        if (core.numa_node == numa_node) append_pus(pus, facts, core);
    }
    return pus;
}

std::string too_few_cores(const Facts& facts, int npes_local) {
    std::string text = "binding to cores needs one core for each PE, but this node has " +
                       std::to_string(facts.ncores_listed) + " for " + std::to_string(npes_local) +
                       " PEs";
    if (facts.allowed_cores > facts.ncores_listed) {
        text += " (of " + std::to_string(facts.allowed_cores) +
                " only the first are listed, which is the limit of this library)";
    } else if (facts.cores > facts.allowed_cores) {
        text += " (of " + std::to_string(facts.cores) +
                "; the affinity mask or cpuset leaves out the others)";
    }
    return text + "; start fewer PEs here, or bind to numa or none";
}

}  // namespace

Plan plan(const Facts& facts, int npes_local, BindTo bind_to, MapBy map_by) {
    const auto npes = static_cast<std::size_t>(npes_local);
    Plan result;
    if (bind_to == BindTo::kAuto) {
        const bool a_core_each = npes <= facts.usable_cores && npes <= facts.ncores_listed;
        bind_to = a_core_each ? BindTo::kCore : BindTo::kNone;
    }
    if (bind_to == BindTo::kCore && npes > facts.ncores_listed) {
        result.error = too_few_cores(facts, npes_local);
        return result;
    }
    result.pus.resize(npes);
    const std::vector<CoreFacts> order = cores_in_order(facts, map_by);
    if (bind_to == BindTo::kNone || order.empty()) return result;

    for (std::size_t pe = 0; pe < npes; ++pe) {
        const CoreFacts& core = order[pe % order.size()];
        if (bind_to == BindTo::kCore) {
            append_pus(result.pus[pe], facts, core);
        } else {
            result.pus[pe] = pus_of_numa_node(facts, core.numa_node);
        }
    }
    return result;
}

}  // namespace tessera::topology
