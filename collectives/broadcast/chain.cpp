// SPDX-License-Identifier: BSD-3-Clause
//
// A pipeline: the members form a chain that begins at the root, and each passes the data on in
// pieces as they arrive. Every member sends each byte at most once. After the first sync all dests
// may be written.
// COST: a sync + (p - 2 + m) (a + s b) for m pieces of s = n/m bytes; n (p-1) b by all PEs. One
// copy of the data leaves and enters each node if its members follow each other. Restriction: a
// team with mailboxes.
#include <algorithm>

#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void broadcast_chain(const Group& group, void* dest, const void* source, std::size_t bytes,
                     int root, RootDest root_dest) {
    if (bytes == 0) return;
    const TreePosition position(group, root);
    const auto pieces =
        static_cast<std::uint32_t>((bytes + kPipelinePieceBytes - 1) / kPipelinePieceBytes);
    const Mailboxes mailboxes(group.team(), group.where(), pieces);
    const bool is_last = position.mine() == group.npes() - 1;
    const int next = is_last ? position.index_of(0) : position.index_of(position.mine() + 1);
    const auto* data = static_cast<const char*>(position.is_root() ? source : dest);
    group.sync();
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        const std::size_t at = piece * kPipelinePieceBytes;
        if (!position.is_root()) mailboxes.wait(GateKind::kDone, 0, piece);
        if (is_last) continue;
        collective_context.put_nbi(static_cast<char*>(dest) + at, data + at,
                                   std::min(kPipelinePieceBytes, bytes - at), group.world_pe(next),
                                   group.where());
        mailboxes.post(GateKind::kDone, 0, next, piece);
    }
    // The program may change the memory after this call, so the pieces under way must leave first.
    if (!is_last) group.deliver();
    if (position.is_root()) copy_at_root(dest, source, bytes, root_dest);
}

Cost broadcast_chain_cost(const TeamLayout& team, double n) {
    const double count = pieces(n, static_cast<double>(kPipelinePieceBytes));
    const double piece = n / count;
    return syncs(1, team) + Cost{.latencies = team.npes - 2 + count} +
           each_member(team, kPush * n, 0) + Cost{.copied_critical_path = (team.npes - 1) * piece} +
           off_node(team, team.nodes - 2 + kDelivery, count,
                    team.is_oversubscribed() ? kOversubscribedHop * (team.nodes - 1) * n
                                             : n + (team.nodes - 1) * piece);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastChain{
    {.name = "chain",
     .formula = "sync + (p-2+m) (a + n/m b)",
     .best_when = "long messages, few nodes",
     .restriction = kMailboxesPutting,
     .cost = broadcast_chain_cost},
    {broadcast_chain, nullptr}};

}  // namespace tessera::collectives
