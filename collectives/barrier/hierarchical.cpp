// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchical: the members of a node meet at a counter of their leader, the first of them; leaders
// disseminate between the nodes; then each releases its node. The last to arrive on a node wakes
// the leader, unless that is the leader itself. Lines 0, 1, 2, ... of a leader belong to its
// partners on other nodes, the last line to the members of its own.
// COST, with v nodes and q members on the largest: q a for the counter's line, at most 2 context
// switches of a member, and ceil(log2 v) messages between nodes on the longest path; v ceil(log2 v)
// of them in all, where a dissemination of all members sends up to p ceil(log2 p). Any p, any
// placement; on one node it is the central counter.
// Reference: Ma et al., "Process distance-aware adaptive MPI collective communications", 2011.
#include "base/central_sync.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/flags.hpp"

namespace tessera::collectives {
namespace {

constexpr int kNodeLine = kSyncRoundsMax - 1;

void disseminate_between_nodes(Team& team, std::uint32_t number, const char* where) {
    const TeamNodes& nodes = team.by_node;
    TeamFlags& mine = team.my_flags();
    const std::int64_t count = nodes.count();
    int round = 0;
    for (std::int64_t distance = 1; distance < count; distance *= 2, ++round) {
        const auto to = static_cast<int>((nodes.mine + distance) % count);
        post_flag(team, nodes.member(to, 0), round, number);
        mine.arrival[round].gate.wait_for(number, where);
    }
}

// RETURNS: whether this is the last of the node's members to come.
bool arrive(CentralSync& central, int members) {
    // The last member acquires the writes that the others released, and passes them on by a post().
    // Pairs with collectives/barrier/hierarchical.cpp:arrive of the other members.
    const auto all = static_cast<std::uint32_t>(members);
    if (central.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != all) return false;
    central.arrived.store(0, std::memory_order_relaxed);  // Published by the post().
    return true;
}

void sync_hierarchical(Team& team, const char* where) {
    if (team.is_on_one_node)
        return team.central->barrier(static_cast<std::uint32_t>(team.npes), where);
    const std::uint32_t number = ++team.syncs;
    const TeamNodes& nodes = team.by_node;
    const int members = nodes.size(nodes.mine);
    const bool is_leader = nodes.index_on_node == 0;
    if (members == 1) return disseminate_between_nodes(team, number, where);

    const int leader = nodes.member(nodes.mine, 0);
    CentralSync& central = central_of(team, leader);
    // The counter cannot advance without this member, so it still has the number of the last sync.
    const std::uint32_t released = central.rounds.number() + 1;
    const bool is_last = arrive(central, members);
    if (is_leader) {
        if (!is_last) team.my_flags().arrival[kNodeLine].gate.wait_for(number, where);
        disseminate_between_nodes(team, number, where);
        central.rounds.post(released);
    } else {
        if (is_last) post_flag(team, leader, kNodeLine, number);
        central.rounds.wait_for(released, where);
    }
}

Cost barrier_hierarchical_cost(const TeamLayout& team, double /*bytes*/) {
    return syncs(1, team) + Cost{.off_node_operations = team.spans_nodes() ? lg(team.nodes) : 0};
}

}  // namespace

extern constinit const Algorithm<Barrier> kBarrierHierarchical{
    {.name = "hierarchical",
     .formula = "lg N A + m a + 2 s",
     .best_when = "several nodes of several PEs",
     .cost = barrier_hierarchical_cost},
    sync_hierarchical};

}  // namespace tessera::collectives
