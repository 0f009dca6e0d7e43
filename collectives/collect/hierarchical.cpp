// SPDX-License-Identifier: BSD-3-Clause
//
// Every block crosses to each other node once, and is copied on the node from there. The members
// with the same place on their nodes form a lane. There are L lanes, as many as the smallest node
// has members; lane l carries the blocks of places l, l + L, ... First all members of a node put
// their blocks to each other. Then the lanes exchange the blocks of whole nodes as in Bruck's
// algorithm (bruck.cpp): in round s the blocks of 2^s nodes, which the receiver puts to the other
// members of its node. After the first sync all dests may be written; where sizes differ, their
// exchange has the same effect (contributions.hpp).
// COST: a sync + ceil(lg N) A between N nodes + 2 lg m a on a node of m; n (p-m) bytes enter a
// node and as many leave it, in all its L lanes together, and n p (m-1) / L are copied by each lane
// at the same time. Restriction: a team with mailboxes on several nodes. Reference: Träff, Hunold,
// "Decomposing collectives for exploiting multi-lane communication", 2020.
#include <algorithm>

#include "collectives/collect/collect.hpp"
#include "collectives/collect/contributions.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/on_node.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

constexpr std::uint32_t kBegin = 0;  // steps of the node's sync
constexpr std::uint32_t kEnd = 1;

// `pass_on(block, index)` puts one block from this member's dest into that of member `index`.
template <class PassOn>
class Lane {
  public:
    Lane(const Group& group, const Mailboxes& mailboxes, PassOn pass_on)
        : nodes_(group.team().by_node), mailboxes_(mailboxes), pass_on_(pass_on) {}

    // REQUIRES: all dests may be written, and this member's block is in its own.
    void run(int my_index) const {
        share(my_index);
        sync_node(nodes_, mailboxes_, kBegin);
        if (nodes_.index_on_node < nodes_.smallest) exchange();
        sync_node(nodes_, mailboxes_, kEnd);
    }

  private:
    // On the caller's node. `block` is in its dest.
    void share(int block) const {
        const int size = nodes_.size(nodes_.mine);
        for (int i = 1; i < size; ++i) {
            pass_on_(block, nodes_.member(nodes_.mine, (nodes_.index_on_node + i) % size));
        }
    }

    void exchange() const {
        const int count = nodes_.count();
        int round = 0;
        for (int have = 1; have < count; have *= 2, ++round) {
            const int some = std::min(have, count - have);
            const int to =
                nodes_.member((nodes_.mine - have + count) % count, nodes_.index_on_node);
            for_each_block(nodes_.mine, some, [&](int block) { pass_on_(block, to); });
            mailboxes_.post(GateKind::kDone, round, to);
            mailboxes_.wait(GateKind::kDone, round);
            for_each_block(nodes_.mine + have, some, [&](int block) { share(block); });
        }
    }

    // The lane's blocks of `some` nodes from `first` on.
    template <class Visit>
    void for_each_block(int first, int some, Visit visit) const {
        for (int i = 0; i < some; ++i) {
            const int node = (first + i) % nodes_.count();
            for (int at = nodes_.index_on_node; at < nodes_.size(node); at += nodes_.smallest) {
                visit(nodes_.member(node, at));
            }
        }
    }

    const TeamNodes& nodes_;
    const Mailboxes& mailboxes_;
    PassOn pass_on_;
};

void fcollect_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Mailboxes mailboxes(group.team(), group.where(), kEnd + 1);
    const BlockArray blocks(group, dest, bytes);
    const Lane lane(group, mailboxes,
                    [&](int block, int index) { blocks.pass_on(block, 1, index); });
    blocks.fill_in(source);
    group.sync();
    lane.run(group.my_index());
}

void collect_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes) {
    const Mailboxes mailboxes(group.team(), group.where(), kEnd + 1);
    const Contributions blocks(group, mailboxes, dest, bytes);
    const Lane lane(group, mailboxes, [&](int block, int index) { blocks.pass_on(block, index); });
    blocks.fill_in(source);
    lane.run(group.my_index());
}

Cost fcollect_cost(const TeamLayout& team, double n) {
    return syncs(1, team) +
           Cost{.latencies = 2 * (team.is_oversubscribed() ? 1 : lg(team.largest_node))} +
           each_member(team, team.npes * n, 0) +
           off_node(team, lg(team.nodes), team.off_node_members(), team.off_node_members() * n);
}

Cost collect_cost(const TeamLayout& team, double n) {
    return fcollect_cost(team, n) + Cost{.latencies = on_node_rounds(team)} +
           off_node(team, lg(team.npes), team.largest_node * lg(team.npes), 0);
}

}  // namespace

extern constinit const Algorithm<Collect> kCollectHierarchical{
    {.name = "hierarchical",
     .formula = "2 lg p a + lg N A + n (p-m) B + p n b",
     .best_when = "several nodes of several PEs",
     .restriction = {.mailboxes = true,
                     .several_nodes = true,
                     .npes_max = Contributions::kMembersMax},
     .cost = collect_cost},
    collect_hierarchical};

extern constinit const Algorithm<Fcollect> kFcollectHierarchical{
    {.name = "hierarchical",
     .formula = "sync + lg N A + n (p-m) B + p n b",
     .best_when = "several nodes of several PEs",
     .restriction = kMailboxesOffNode,
     .cost = fcollect_cost},
    fcollect_hierarchical};

}  // namespace tessera::collectives
