// SPDX-License-Identifier: BSD-3-Clause
//
// A tree with k = 4 children: upwards a post means "all members below have come", downwards "all
// have come". Member i's parent is (i-1)/k. Line c of a member belongs to its child c, line k to
// its parent.
// COST: 2 ceil(log4 (3p+1)) - 2 messages on the longest path, 2 (p-1) of all members together:
// fewer than any dissemination, and a member sleeps and wakes at most five times. Any p.
// Reference: Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization", 1991.
#include "collectives/barrier/barrier.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/flags.hpp"

namespace tessera::collectives {
namespace {

constexpr int kChildren = 4;
constexpr int kReleaseLine = kChildren;
static_assert(kReleaseLine < kSyncRoundsMax);

template <class Visit>
void for_each_child(const Team& team, Visit visit) {
    const std::int64_t first = std::int64_t{kChildren} * team.my_index + 1;
    for (int child = 0; child < kChildren && first + child < team.npes; ++child) {
        visit(static_cast<int>(first) + child, child);
    }
}

void sync_tree(Team& team, const char* where) {
    const std::uint32_t number = ++team.syncs;
    TeamFlags& mine = team.my_flags();
    for_each_child(
        team, [&](int /*index*/, int child) { mine.arrival[child].gate.wait_for(number, where); });
    if (team.my_index > 0) {
        const int parent = (team.my_index - 1) / kChildren;
        post_flag(team, parent, (team.my_index - 1) % kChildren, number);
        mine.arrival[kReleaseLine].gate.wait_for(number, where);
    }
    for_each_child(team,
                   [&](int index, int /*child*/) { post_flag(team, index, kReleaseLine, number); });
}

Cost cost(const TeamLayout& team, double /*bytes*/) {
    return {.latencies = 2 * 1.5 * lg4(team.largest_node),
            .off_node_latencies = 2 * lg4(team.nodes),
            .off_node_operations = team.spans_nodes() ? kChildren * lg4(team.nodes) : 0};
}

}  // namespace

extern constinit const Algorithm<Barrier> kBarrierTree{{.name = "tree",
                                                        .formula = "2 log4 p a",
                                                        .best_when = "hardly ever: fewest messages",
                                                        .cost = cost},
                                                       sync_tree};

}  // namespace tessera::collectives
