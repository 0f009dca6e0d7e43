// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a team that are on the caller's node, for hierarchical algorithms. REQUIRES: a
// team with mailboxes on several nodes (Team::by_node).
#pragma once

#include "collectives/group.hpp"
#include "core/pe_state.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {

// RETURNS when: all members of this node have called it; their earlier stores are visible to each
// other. Uses the rounds from kNodeRound on of kind kReady.
// COST: ceil(lg m) a for m members.
inline constexpr int kNodeRound = 1;
inline void sync_node(const TeamNodes& nodes, const Mailboxes& mailboxes, std::uint32_t step) {
    const int size = nodes.size(nodes.mine);
    int round = kNodeRound;
    for (int distance = 1; distance < size; distance *= 2, ++round) {
        const int to = (nodes.index_on_node + distance) % size;
        mailboxes.post(GateKind::kReady, round, nodes.member(nodes.mine, to), step);
        mailboxes.wait(GateKind::kReady, round, step);
    }
}

// The node of member `index`. COST: lg of the number of nodes.
inline int node_of(const Team& team, int index) {
    const TeamNodes& nodes = team.by_node;
    const int name = first_pe_of_node(team.world_pe(index));
    int low = 0;
    for (int high = nodes.count(); high - low > 1;) {
        const int middle = (low + high) / 2;
        const bool is_below = first_pe_of_node(team.world_pe(nodes.member(middle, 0))) > name;
        (is_below ? high : low) = middle;
    }
    return low;
}

}  // namespace tessera::collectives
