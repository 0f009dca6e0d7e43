// SPDX-License-Identifier: BSD-3-Clause
//
// Central counter: every member adds one, the last one releases all (base/central_sync.hpp).
// COST: p a for the counter's line, but each PE sleeps and wakes at most once, so it wins when PEs
// share cores. Restriction: all members on one node.
#include "collectives/barrier/barrier.hpp"
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

void sync_central(Team& team, const char* where) {
    team.central->barrier(static_cast<std::uint32_t>(team.npes), where);
}

Cost barrier_central_cost(const TeamLayout& team, double /*bytes*/) {
    // The counter's cache line visits all members.
    if (team.is_oversubscribed()) return syncs(1, team);
    return {.latencies = 1 + 0.5 * team.npes};
}

}  // namespace

extern constinit const Algorithm<Barrier> kBarrierCentral{
    {.name = "central",
     .formula = "p a + s",
     .best_when = "more PEs than cores: each PE is switched to once",
     .restriction = {.one_node = true},
     .cost = barrier_central_cost},
    sync_central};

}  // namespace tessera::collectives
