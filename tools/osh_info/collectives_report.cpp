// SPDX-License-Identifier: BSD-3-Clause
//
// See collectives_report.hpp.
#include "tools/osh_info/collectives_report.hpp"

#include <algorithm>
#include <cstdio>

#include "collectives/choice.hpp"
#include "collectives/profile.hpp"
#include "settings/config.hpp"
#include "topology/topology.hpp"

namespace tessera::osh_info {
namespace {

using collectives::AlgorithmTraits;
using collectives::Call;
using collectives::TeamLayout;

std::string algorithm_text(const AlgorithmTraits& algorithm) {
    char text[200];
    std::snprintf(text, sizeof text, "    %-20s %-46s %s\n", std::string(algorithm.name).c_str(),
                  std::string(algorithm.formula).c_str(), std::string(algorithm.best_when).c_str());
    return text;
}

// "team on several nodes, 2^k members"
std::string restriction_text(const collectives::Restriction& limits) {
    std::string text = limits.mailboxes || limits.streams ? "team" : "";
    const auto add = [&](bool holds, const std::string& what) {
        if (holds) text += (text.empty() ? "" : ", ") + what;
    };
    const auto add_bytes = [&](std::size_t most, const char* what) {
        const std::string size = std::to_string(most / 1024) + " KiB";
        add(most != collectives::kNoLimit, what + size);
    };
    add(limits.symmetric == collectives::Symmetric::kNothing, "any arrays");
    add(limits.nonblocking, "nonblocking");
    add(limits.one_node, "one node");
    add(limits.several_nodes, "several nodes");
    add(limits.nodes_in_order, "members of a node in a row");
    add(limits.power_of_two, "2^k members");
    add(limits.even, "an even number of members");
    add(limits.npes_max != 0, "at most " + std::to_string(limits.npes_max) + " members");
    add_bytes(limits.bytes_max, "n <= ");
    add_bytes(limits.total_max, "p n <= ");
    add(limits.contiguous, "not alltoalls");
    add(limits.any_order, "results do not depend on the order");
    add(limits.exchanges && !limits.any_order, "operations that commute");
    return text;
}

// Whether the algorithm serves the call from symmetric or from other arrays.
bool serves(const AlgorithmTraits& algorithm, Call call) {
    if (is_possible(algorithm.restriction, call)) return true;
    call.is_private = true;
    return is_possible(algorithm.restriction, call);
}

// Whether the runtime layer has the collective, too: for private arrays.
bool takes_any_arrays(Collective collective) {
    return std::ranges::any_of(collectives::traits_of(collective), [](const auto* algorithm) {
        return algorithm->takes_runtime_calls() && !algorithm->restriction.nonblocking;
    });
}

// A job on this machine, as the model sees it.
struct Situation {
    TeamLayout layout;
    Call call;
    int cores;
    collectives::Profile profile;
};

Situation situation_of(const JobLayout& job) {
    const topology::Facts facts = topology::discover();
    const int cores = static_cast<int>(std::max(1U, facts.usable_cores));
    const int full = job.nodes_are_virtual ? std::max(cores, job.nodes) : cores * job.nodes;
    const int npes = job.npes != 0 ? job.npes : full;
    TeamLayout layout;
    layout.npes = npes;
    layout.nodes = std::min(job.nodes, npes);
    layout.largest_node = (npes + job.nodes - 1) / job.nodes;
    const double cores_of_node =
        job.nodes_are_virtual ? static_cast<double>(cores) / job.nodes : cores;
    layout.cores = std::min(cores_of_node, layout.largest_node);
    return {.layout = layout,
            .call = {.npes = npes,
                     .is_on_one_node = layout.nodes <= 1,
                     .is_reproducible = config().reduce_reproducible},
            .cores = cores,
            .profile = collectives::load_profile(facts.caches_bytes(),
                                                 fabric_setting("SHMEM_OFI_PROVIDER"))};
}

}  // namespace

std::string collectives_csv(const JobLayout& job) {
    constexpr std::size_t kBytesMax = std::size_t{1} << 26;
    Situation now = situation_of(job);
    std::string text = "collective,algorithm,bytes,seconds\n";
    for (std::size_t i = 0; i < kCollectives; ++i) {
        for (const AlgorithmTraits* algorithm :
             collectives::traits_of(static_cast<Collective>(i))) {
            for (now.call.bytes = 1; now.call.bytes <= kBytesMax; now.call.bytes *= 2) {
                if (!serves(*algorithm, now.call)) continue;
                const auto bytes = static_cast<double>(now.call.bytes);
                char line[120];
                std::snprintf(line, sizeof line, "%s,%s,%zu,%.4g\n",
                              std::string(kCollectiveNames[i]).c_str(),
                              std::string(algorithm->name).c_str(), now.call.bytes,
                              seconds(algorithm->cost(now.layout, bytes), now.layout, bytes,
                                      now.profile.machine));
                text += line;
            }
        }
    }
    return text;
}

std::string algorithms_markdown() {
    std::string text =
        "| collective | algorithm | cost | restriction | best |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < kCollectives; ++i) {
        for (const AlgorithmTraits* algorithm :
             collectives::traits_of(static_cast<Collective>(i))) {
            text.append("| ").append(kCollectiveNames[i]);
            text.append(" | `").append(algorithm->name).append("`");
            text.append(" | ").append(algorithm->formula);
            text.append(" | ").append(restriction_text(algorithm->restriction));
            text.append(" | ").append(algorithm->best_when).append(" |\n");
        }
    }
    return text;
}

std::string algorithms_text(std::string_view collective, const JobLayout& job) {
    const Call call = situation_of(job).call;
    std::string text;
    for (std::size_t i = 0; i < kCollectives; ++i) {
        if (collective != kCollectiveNames[i]) continue;
        for (const AlgorithmTraits* algorithm :
             collectives::traits_of(static_cast<Collective>(i))) {
            if (serves(*algorithm, call)) text.append(algorithm->name).append("\n");
        }
    }
    return text;
}

std::string collectives_text(const JobLayout& job) {
    auto [layout, call, cores, profile] = situation_of(job);
    char head[200];
    std::snprintf(head, sizeof head, "%d PEs, at most %.0f on each of %.0f nodes of %d cores; %s\n",
                  call.npes, layout.largest_node, layout.nodes, cores, profile.origin.c_str());
    std::string text = head;
    text +=
        "a: a message, A: to another node, b and B: moving a byte, c: combining one, "
        "s: a context switch,\np: PEs, m: of a node, N: nodes, n: bytes\n";
    for (std::size_t i = 0; i < kCollectives; ++i) {
        const auto collective = static_cast<Collective>(i);
        const auto all = collectives::traits_of(collective);
        text.append("\n").append(kCollectiveNames[i]).append("\n");
        for (const AlgorithmTraits* algorithm : all) text += algorithm_text(*algorithm);
        const AlgorithmSetting setting = config().algorithm(collective);
        if (!setting.is_auto()) {
            text += "  always " + std::string(all[setting.index()]->name) +
                    ", where it can do the call, by the setting; auto would take\n";
        } else {
            text += "  chosen\n";
        }
        call.is_private = collective > Collective::kReduce;
        text += choices_text(collective, call, layout, profile.machine);
        if (!takes_any_arrays(collective) || call.is_private) continue;
        text += "  from arrays that are not symmetric (shmemx.h)\n";
        call.is_private = true;
        text += choices_text(collective, call, layout, profile.machine);
    }
    return text;
}

}  // namespace tessera::osh_info
