// SPDX-License-Identifier: BSD-3-Clause
//
// See binding.hpp. First the cores are put in the order in which PEs take them, then each PE gets
// its core, or the part of the machine around its core.
#include "topology/binding.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::topology {
namespace {

// A part of the machine around a core: the member of CoreFacts that has its number. Without L3
// caches the number is the same for all cores.
using Level = std::uint16_t CoreFacts::*;

void append_pus(std::vector<std::uint32_t>& to, const Facts& facts, const CoreFacts& core) {
    const std::span<const std::uint32_t> pus = pus_of(facts, core);
    to.insert(to.end(), pus.begin(), pus.end());
}

std::vector<std::vector<CoreFacts>> parts_at(const Facts& facts, Level level) {
    std::vector<std::vector<CoreFacts>> parts;
    for (const CoreFacts& core : cores_of(facts)) {
        auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& cores) {
            return cores.front().*level == core.*level;
        });
        if (found == parts.end()) found = parts.insert(parts.end(), std::vector<CoreFacts>());
        found->push_back(core);
    }
    return parts;
}

// `count` cores of each part in turn, for as long as the part has any left.
std::vector<CoreFacts> cores_in_turn(const Facts& facts, Level level, std::size_t count) {
    const std::vector<std::vector<CoreFacts>> parts = parts_at(facts, level);
    std::vector<CoreFacts> order;
    for (std::size_t first = 0; order.size() < facts.ncores_listed; first += count) {
        for (const std::vector<CoreFacts>& cores : parts) {
            for (std::size_t i = first; i < std::min(first + count, cores.size()); ++i)
                order.push_back(cores[i]);
        }
    }
    return order;
}

// nullptr: PEs are not dealt out to parts.
Level level_of(MapBy map_by) {
    switch (map_by) {
        case MapBy::kL3: return &CoreFacts::l3;
        case MapBy::kNuma: return &CoreFacts::numa_node;
        case MapBy::kPackage: return &CoreFacts::package;
        case MapBy::kHwthread:
        case MapBy::kCore:
        case MapBy::kNode: break;
    }
    return nullptr;
}

std::vector<CoreFacts> cores_in_order(const Facts& facts, MapBy map_by, Share share) {
    const Level level = level_of(map_by);
    if (level != nullptr) {
        const int count = share.cores_per_pe * share.pes_per_part;
        return cores_in_turn(facts, level, static_cast<std::size_t>(count));
    }
    const std::span<const CoreFacts> cores = cores_of(facts);
    return {cores.begin(), cores.end()};
}

// The PUs of the cores, each by itself: all of a core, or the first ones of all cores first.
std::vector<std::uint32_t> pus_in_order(const Facts& facts, std::span<const CoreFacts> cores,
                                        bool is_core_first) {
    std::vector<std::uint32_t> order;
    std::size_t rounds = 1;
    for (const CoreFacts& core : cores) {
        rounds = std::max<std::size_t>(rounds, core.npus);
        if (is_core_first) append_pus(order, facts, core);
    }
    for (std::size_t round = 0; round < rounds && !is_core_first; ++round) {
        for (const CoreFacts& core : cores) {
            if (round < core.npus) order.push_back(pus_of(facts, core)[round]);
        }
    }
    return order;
}

// The PUs of all cores that are in the same part as this one.
std::vector<std::uint32_t> pus_around(const Facts& facts, const CoreFacts& core, Level level) {
    std::vector<std::uint32_t> pus;
    for (const CoreFacts& other : cores_of(facts)) {
        if (other.*level == core.*level) append_pus(pus, facts, other);
    }
    return pus;
}

std::vector<std::uint32_t> pus_for(const Facts& facts, std::span<const CoreFacts> cores,
                                   BindTo bind_to) {
    std::vector<std::uint32_t> pus;
    switch (bind_to) {
        case BindTo::kCore:
            for (const CoreFacts& core : cores) append_pus(pus, facts, core);
            break;
        case BindTo::kL3: return pus_around(facts, cores.front(), &CoreFacts::l3);
        case BindTo::kNuma: return pus_around(facts, cores.front(), &CoreFacts::numa_node);
        case BindTo::kPackage: return pus_around(facts, cores.front(), &CoreFacts::package);
        case BindTo::kAuto:
        case BindTo::kHwthread:
        case BindTo::kNone: break;
    }
    return pus;
}

std::string too_few_cores(const Facts& facts, int npes_local, int cores_per_pe) {
    const std::string each =
        cores_per_pe == 1 ? "one core" : std::to_string(cores_per_pe) + " cores";
    std::string text = "binding to cores needs " + each + " for each PE, but this node has " +
                       std::to_string(facts.ncores_listed) + " for " + std::to_string(npes_local) +
                       " PEs";
    if (facts.allowed_cores > facts.ncores_listed) {
        text += " (of " + std::to_string(facts.allowed_cores) +
                " only the first are listed, which is the limit of this library)";
    } else if (facts.cores > facts.allowed_cores) {
        text += " (of " + std::to_string(facts.cores) +
                "; the affinity mask or cpuset leaves out the others)";
    }
    return text + "; start fewer PEs here, or bind to l3, numa, package or none";
}

bool shares_pu(const Facts& facts, const CoreFacts& core, std::span<const std::uint32_t> pus) {
    return std::ranges::any_of(pus_of(facts, core), [&](std::uint32_t pu) {
        return std::ranges::find(pus, pu) != pus.end();
    });
}

// The cores that no PE may use: none while a PE is not bound.
std::vector<CoreFacts> free_cores(const Facts& facts, const Plan& pes) {
    std::vector<CoreFacts> free;
    for (const CoreFacts& core : cores_of(facts)) {
        const bool is_used = std::ranges::any_of(
            pes.pus, [&](const auto& pus) { return pus.empty() || shares_pu(facts, core, pus); });
        if (!is_used) free.push_back(core);
    }
    return free;
}

int distance(const CoreFacts& one, const CoreFacts& other) {
    if (one.l3 == other.l3 && one.l3 != kNoL3) return 0;
    if (one.numa_node == other.numa_node) return 1;
    return one.package == other.package ? 2 : 3;
}

}  // namespace

Plan plan_helpers(const Facts& facts, const Plan& pes, std::span<const int> neighbours) {
    Plan result;
    std::vector<CoreFacts> free = free_cores(facts, pes);
    const std::size_t usable = facts.usable_cores > pes.pus.size()
                                   ? facts.usable_cores - pes.pus.size()
                                   : 0;  // A CPU quota may allow fewer than there are.
    if (std::min(free.size(), usable) < neighbours.size()) {
        result.error =
            "helpers need " + std::to_string(neighbours.size()) +
            " cores that no PE may use, and here " + std::to_string(std::min(free.size(), usable)) +
            " of " + std::to_string(facts.usable_cores) + " are left beside " +
            std::to_string(pes.pus.size()) + " PEs; start fewer PEs here, bind them to cores";
        return result;
    }
    for (const int neighbour : neighbours) {
        const std::vector<std::uint32_t>& pus = pes.pus[static_cast<std::size_t>(neighbour)];
        const auto home = std::ranges::find_if(
            cores_of(facts), [&](const CoreFacts& core) { return shares_pu(facts, core, pus); });
        const auto nearest = std::ranges::min_element(
            free, {}, [&](const CoreFacts& core) { return distance(core, *home); });
        append_pus(result.pus.emplace_back(), facts, *nearest);
        free.erase(nearest);
    }
    return result;
}

int part_count(const Facts& facts, MapBy map_by) {
    const Level level = level_of(map_by);
    return static_cast<int>(level != nullptr ? parts_at(facts, level).size() : facts.ncores_listed);
}

namespace {

Plan plan_hwthreads(const Facts& facts, std::size_t npes, MapBy map_by, Share share) {
    Plan result;
    const std::vector<CoreFacts> cores = cores_in_order(facts, map_by, share);
    const std::vector<std::uint32_t> pus =
        pus_in_order(facts, cores, map_by == MapBy::kHwthread || share.cores_per_pe > 1);
    const auto each = static_cast<std::size_t>(share.cores_per_pe);
    if (npes * each > pus.size()) {
        result.error = "binding to hardware threads needs " + std::to_string(each) +
                       " for each PE, but the PEs may use " + std::to_string(pus.size()) +
                       " here for " + std::to_string(npes) +
                       " PEs; start fewer PEs here, or bind to core, l3, numa, package or none";
        return result;
    }
    for (std::size_t pe = 0; pe < npes; ++pe) {
        const auto first = pus.begin() + static_cast<std::ptrdiff_t>(pe * each);
        result.pus.emplace_back(first, first + static_cast<std::ptrdiff_t>(each));
    }
    return result;
}

}  // namespace

Plan plan(const Facts& facts, int npes_local, BindTo bind_to, MapBy map_by, Share share) {
    const auto npes = static_cast<std::size_t>(npes_local);
    const auto each = static_cast<std::size_t>(share.cores_per_pe);
    Plan result;
    if (bind_to == BindTo::kHwthread) return plan_hwthreads(facts, npes, map_by, share);
    if (bind_to == BindTo::kAuto) {
        const bool cores_for_each =
            npes * each <= facts.usable_cores && npes * each <= facts.ncores_listed;
        bind_to = cores_for_each ? BindTo::kCore : BindTo::kNone;
    }
    if (bind_to == BindTo::kCore && npes * each > facts.ncores_listed) {
        result.error = too_few_cores(facts, npes_local, share.cores_per_pe);
        return result;
    }
    result.pus.resize(npes);
    const std::vector<CoreFacts> order = cores_in_order(facts, map_by, share);
    if (bind_to == BindTo::kNone || order.empty()) return result;
    for (std::size_t pe = 0; pe < npes; ++pe) {
        const std::size_t first = pe * each % order.size();
        const std::span<const CoreFacts> rest = std::span(order).subspan(first);
        result.pus[pe] = pus_for(facts, rest.first(std::min(each, rest.size())), bind_to);
    }
    return result;
}

}  // namespace tessera::topology
