// SPDX-License-Identifier: BSD-3-Clause
//
// A tree of radix 4 (tree.hpp):
//
//   up    each member tells its parent that it and all members below it have begun
//   down  each member, when it has the data, puts it into its children's dest, those with the
//         largest trees first
//
// COST: ceil(log4 p) (a + 3 (a + n b)), at most; p-1 messages up and down, n (p-1) b by all PEs.
// Restriction: a team with mailboxes.
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/tree.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

// The cost of waiting for the children of a level, as a fraction of a latency: some come early.
constexpr double kTreeLevel = 0.8;
constexpr int kParentRound = Tree::kLevelsMax;  // round of the mailboxes
static_assert(kParentRound < kMailboxRounds);

// The gate by which a child tells its parent that it and all members below it have begun. No two
// children of a parent have the same gate.
GateKind gate_up(int digit) { return static_cast<GateKind>(digit - 1); }
static_assert(kGateKinds == Tree::kSiblings);

void broadcast_knomial(const Group& group, void* dest, const void* source, std::size_t bytes,
                       int root, RootDest root_dest) {
    if (bytes == 0) return;
    const TreePosition position(group, root);
    const Mailboxes mailboxes(group.team(), group.where());
    const Tree tree(position.mine(), group.npes());
    tree.for_each_child(
        [&](int /*child*/, int level, int digit) { mailboxes.wait(gate_up(digit), level); });
    if (!position.is_root()) {
        mailboxes.post(gate_up(tree.digit()), tree.levels(), position.index_of(tree.parent()));
        mailboxes.wait(GateKind::kDone, kParentRound);
    }
    const void* data = position.is_root() ? source : dest;
    tree.for_each_child_down([&](int child, int, int) {
        const int index = position.index_of(child);
        collective_context.put(dest, data, bytes, group.world_pe(index), group.where());
        mailboxes.post(GateKind::kDone, kParentRound, index);
    });
    if (position.is_root()) copy_at_root(dest, source, bytes, root_dest);
}

Cost broadcast_knomial_cost(const TeamLayout& team, double n) {
    const double off_node_levels = lg4(team.nodes);
    return Cost{.latencies =
                    2 * (team.is_oversubscribed() ? 1 : kTreeLevel) * lg4(team.largest_node),
                .copied_critical_path = kPush * (Tree::kRadix - 1) / 2 * lg4(team.largest_node) * n,
                .copied_total = kPush * (team.largest_node - 1) * n} +
           off_node(team, 2 * off_node_levels * (1 + 0.05 * (team.largest_node - 1)),
                    off_node_children(team) * off_node_levels,
                    (team.is_oversubscribed() ? kOversubscribedHop : 1.1) *
                        off_node_children(team) * off_node_levels * n);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastKnomial{
    {.name = "knomial",
     .formula = "2 log4 p a + 3 log4 p n b",
     .best_when = "short messages",
     .restriction = kMailboxesPutting,
     .cost = broadcast_knomial_cost},
    {broadcast_knomial, nullptr}};

}  // namespace tessera::collectives
