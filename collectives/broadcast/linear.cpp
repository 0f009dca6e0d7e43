// SPDX-License-Identifier: BSD-3-Clause
//
// The root puts the data to one member after the other, and posts a gate to each when the data is
// there. After the first sync all dests may be written.
// COST: a sync + (p-1) (a + n b), all of it at the root. Restriction: a team with mailboxes.
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void broadcast_linear(const Group& group, void* dest, const void* source, std::size_t bytes,
                      int root, RootDest root_dest) {
    if (bytes == 0) return;
    const TreePosition position(group, root);
    const Mailboxes mailboxes(group.team(), group.where());
    group.sync();
    if (!position.is_root()) return mailboxes.wait(GateKind::kDone, 0);
    for (int other = 1; other < group.npes(); ++other) {
        const int index = position.index_of(other);
        collective_context.put(dest, source, bytes, group.world_pe(index), group.where());
        mailboxes.post(GateKind::kDone, 0, index);
    }
    copy_at_root(dest, source, bytes, root_dest);
}

Cost broadcast_linear_cost(const TeamLayout& team, double n) {
    const double all = kPush * (team.npes - 1) * n;
    return syncs(1, team) +
           Cost{.latencies = team.is_oversubscribed() ? kWaitForRunPe : 1,
                .copied_critical_path = all,
                .copied_total = all} +
           off_node(team, kDelivery, team.off_node_members(), team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastLinear{
    {.name = "linear",
     .formula = "sync + (p-1) (a + n b)",
     .best_when = "short messages, some nodes, messages cheap to send",
     .restriction = kMailboxesPutting,
     .cost = broadcast_linear_cost},
    {broadcast_linear, nullptr}};

}  // namespace tessera::collectives
