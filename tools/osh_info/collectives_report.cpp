// SPDX-License-Identifier: BSD-3-Clause
//
// See collectives_report.hpp.
#include "tools/osh_info/collectives_report.hpp"

#include <algorithm>
#include <cstdio>

#include "collectives/choice.hpp"
#include "collectives/profile.hpp"
#include "core/config.hpp"
#include "topology/topology.hpp"

namespace tessera::osh_info {
namespace {

using collectives::Call;
using collectives::Collective;
using collectives::kCollectives;
using collectives::Row;
using collectives::Shape;

std::string row_text(const Row& row) {
    char text[200];
    std::snprintf(text, sizeof text, "    %-20s %-46s %s\n", std::string(row.name).c_str(),
                  std::string(row.cost_text).c_str(), std::string(row.best_when).c_str());
    return text;
}

// A job on this machine, as the model sees it.
struct Situation {
    Shape shape;
    Call call;
    int cores;
    collectives::Profile profile;
};

Situation situation_of(const JobShape& job) {
    const topology::Facts facts = topology::discover();
    const int cores = static_cast<int>(std::max(1U, facts.usable_cores));
    const int full = job.nodes_are_virtual ? std::max(cores, job.nodes) : cores * job.nodes;
    const int npes = job.npes != 0 ? job.npes : full;
    Shape shape;
    shape.npes = npes;
    shape.nodes = std::min(job.nodes, npes);
    shape.local = (npes + job.nodes - 1) / job.nodes;
    const double cores_of_node =
        job.nodes_are_virtual ? static_cast<double>(cores) / job.nodes : cores;
    shape.cores = std::min(cores_of_node, shape.local);
    return {.shape = shape,
            .call = {.npes = npes,
                     .is_on_one_node = shape.nodes <= 1,
                     .is_reproducible = config().reduce_reproducible},
            .cores = cores,
            .profile = collectives::load_profile(facts.caches_bytes(), config().ofi_provider)};
}

}  // namespace

std::string collectives_csv(const JobShape& job) {
    constexpr std::size_t kBytesMax = std::size_t{1} << 26;
    Situation now = situation_of(job);
    std::string text = "collective,algorithm,bytes,seconds\n";
    for (std::size_t i = 0; i < kCollectives; ++i) {
        for (const Row* row : rows_of(static_cast<Collective>(i))) {
            for (now.call.bytes = 1; now.call.bytes <= kBytesMax; now.call.bytes *= 2) {
                if (!is_possible(row->restriction, now.call)) continue;
                now.shape.bytes = static_cast<double>(now.call.bytes);
                char line[120];
                std::snprintf(line, sizeof line, "%s,%s,%zu,%.4g\n",
                              std::string(collectives::kCollectiveNames[i]).c_str(),
                              std::string(row->name).c_str(), now.call.bytes,
                              seconds(row->cost(now.shape), now.shape, now.profile.machine));
                text += line;
            }
        }
    }
    return text;
}

std::string collectives_text(const JobShape& job) {
    const auto [shape, call, cores, profile] = situation_of(job);
    char head[200];
    std::snprintf(head, sizeof head, "%d PEs, at most %.0f on each of %.0f nodes of %d cores; %s\n",
                  call.npes, shape.local, shape.nodes, cores, profile.origin.c_str());
    std::string text = head;
    text +=
        "a: a message, A: to another node, b and B: moving a byte, c: combining one, "
        "s: a context switch,\np: PEs, m: of a node, N: nodes, n: bytes\n";
    for (std::size_t i = 0; i < kCollectives; ++i) {
        const auto collective = static_cast<Collective>(i);
        const std::vector<const Row*>& rows = rows_of(collective);
        text.append("\n").append(collectives::kCollectiveNames[i]).append("\n");
        for (const Row* row : rows) text += row_text(*row);
        const Algorithm named = collectives::wanted_for(collective);
        if (!named.is_auto()) {
            text += "  always " + std::string(rows[named.index - 1U]->name) +
                    ", where it can do the call, by the setting; auto would take\n";
        } else {
            text += "  chosen\n";
        }
        text += choices_text(collective, call, shape, profile.machine);
    }
    return text;
}

}  // namespace tessera::osh_info
