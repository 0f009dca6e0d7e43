// SPDX-License-Identifier: BSD-3-Clause
//
// See cost_terms.hpp.
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

// A round of a sync, in latencies: all members write and read flags at the same time.
constexpr double kSyncRound = 1.25;
// A sync where PEs share cores, in latencies: all members must run before the first one can go on.
constexpr double kOversubscribedSync = 1.4;
// Checking one flag where PEs share cores, as a fraction of a latency.
constexpr double kOversubscribedFlag = 0.1;
// A round of a sync between nodes, in off-node latencies: only flags are under way.
constexpr double kOffNodeSync = 0.6;

}  // namespace

Cost syncs(double count, const TeamLayout& team) {
    if (team.spans_nodes()) {
        return {.latencies = count * 2 * (team.is_oversubscribed() ? 1 : lg(team.largest_node)),
                .off_node_latencies = count * kOffNodeSync * lg(team.nodes)};
    }
    return {.latencies = count * (team.is_oversubscribed() ? kOversubscribedSync
                                                           : kSyncRound * lg(team.npes))};
}

Cost flags_from_all(const TeamLayout& team) {
    return {.latencies = team.is_oversubscribed() ? 1 + kOversubscribedFlag * team.npes
                                                  : 1.3 + 0.5 * (team.npes - 2)};
}

Cost each_member(const TeamLayout& team, double copied, double combined) {
    return {.copied_critical_path = copied,
            .copied_total = team.largest_node * copied,
            .combined_critical_path = combined,
            .combined_total = team.largest_node * combined};
}

Cost puts_to_all(const TeamLayout& team, double n) {
    const double operations = team.largest_node * team.off_node_members();
    return syncs(2, team) + each_member(team, team.npes * n, 0) +
           off_node(team, kDelivery, operations, operations * n);
}

Cost streams_to_all(const TeamLayout& team, double n) {
    const double operations = team.largest_node * team.off_node_members();
    return flags_from_all(team) + Cost{.latencies = 1} +
           each_member(team, kStreamCall + 2 * kGather * team.npes * n, 0) +
           off_node(team, 2 * kDelivery, operations, operations * n);
}

Cost off_node(const TeamLayout& team, double latencies, double operations, double bytes) {
    if (!team.spans_nodes()) return {};
    return {.off_node_latencies = latencies,
            .off_node_operations = operations,
            .off_node_bytes = bytes};
}

}  // namespace tessera::collectives
