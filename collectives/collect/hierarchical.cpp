// SPDX-License-Identifier: BSD-3-Clause
//
// Every block crosses to each other node once, and is copied on the node from there. The members
// with the same place on their nodes form a lane. There are L lanes, as many as the smallest node
// has members; lane l carries the blocks of places l, l + L, ... First all members of a node put
// their blocks to each other. Then the lanes exchange the blocks of whole nodes as in Bruck's
// algorithm (bruck.cpp): in round s the blocks of 2^s nodes, which the receiver puts to the other
// members of its node. After the first sync all dests may be written; where sizes differ, their
// exchange has the same effect (contributions.hpp). Where arrays are private, blocks land in
// symmetric memory: members copy them from there at the end, instead of putting them to each other.
// COST: a sync + ceil(lg N) A between N nodes + 2 lg m a on a node of m; n (p-m) bytes enter a
// node and as many leave it, in all its L lanes together, and n p (m-1) / L are copied by each lane
// at the same time. Restriction: a team with mailboxes on several nodes. Reference: Träff, Hunold,
// "Decomposing collectives for exploiting multi-lane communication", 2020.
#include <algorithm>

#include "collectives/collect/collect.hpp"
#include "collectives/collect/contributions.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/exchange/exchange.hpp"
#include "collectives/patterns/on_node.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

constexpr std::uint32_t kBegin = 0;  // steps of the node's sync
constexpr std::uint32_t kEnd = 1;
constexpr std::uint32_t kTaken = 2;

// `pass_on(block, index)` puts one block from this member's dest into that of member `index`.
template <class PassOn>
class Lane {
  public:
    Lane(const Group& group, const Mailboxes& mailboxes, bool shares, PassOn pass_on)
        : nodes_(group.team().by_node), mailboxes_(mailboxes), shares_(shares), pass_on_(pass_on) {}

    // REQUIRES: all dests may be written, and this member's block is in its own.
    void run(int my_index) const {
        shares_ ? share(my_index) : hand_over(my_index);
        if (shares_ || has_others()) sync_node(nodes_, mailboxes_, kBegin);
        if (nodes_.index_on_node < nodes_.smallest) exchange();
        sync_node(nodes_, mailboxes_, kEnd);
    }

    // Calls take(block, member) for all blocks, with the member of this node whose dest has it.
    // RETURNS when: all members of the node have taken theirs. REQUIRES: !shares, and run().
    template <class Take>
    void take_all(Take take) const {
        for (int i = 0; i < nodes_.count(); ++i) {
            const int node = (nodes_.mine + i) % nodes_.count();
            for (int k = 0; k < nodes_.size(node); ++k) {
                const int at = (nodes_.index_on_node + k) % nodes_.size(node);
                const int lane = node == nodes_.mine ? at : at % nodes_.smallest;
                take(nodes_.member(node, at), nodes_.member(nodes_.mine, lane));
            }
        }
        sync_node(nodes_, mailboxes_, kTaken);
    }

  private:
    // On the caller's node. `block` is in its dest.
    void share(int block) const {
        const int size = nodes_.size(nodes_.mine);
        for (int i = 1; i < size; ++i)
            pass_on_(block, nodes_.member(nodes_.mine, (nodes_.index_on_node + i) % size));
    }

    // Whether the node has members that are no lane.
    bool has_others() const { return nodes_.size(nodes_.mine) > nodes_.smallest; }
    // A lane carries the blocks of such members.
    void hand_over(int block) const {
        if (nodes_.index_on_node < nodes_.smallest) return;
        pass_on_(block, nodes_.member(nodes_.mine, nodes_.index_on_node % nodes_.smallest));
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
            if (!shares_) continue;
            for_each_block(nodes_.mine + have, some, [&](int block) { share(block); });
        }
    }

    // The lane's blocks of `some` nodes from `first` on.
    template <class Visit>
    void for_each_block(int first, int some, Visit visit) const {
        for (int i = 0; i < some; ++i) {
            const int node = (first + i) % nodes_.count();
            for (int at = nodes_.index_on_node; at < nodes_.size(node); at += nodes_.smallest)
                visit(nodes_.member(node, at));
        }
    }

    const TeamNodes& nodes_;
    const Mailboxes& mailboxes_;
    bool shares_;
    PassOn pass_on_;
};

void land(const Group& group, void* dest, const void* source, std::size_t bytes, void* landing) {
    if (bytes == 0) return;
    const bool is_private = landing != dest;
    const Mailboxes mailboxes(group.team(), group.where(), kTaken + 1);
    const BlockArray blocks(group, landing, bytes);
    const Lane lane(group, mailboxes, !is_private,
                    [&](int block, int index) { blocks.pass_on(block, 1, index); });
    blocks.fill_in(source);
    group.sync();
    lane.run(group.my_index());
    if (!is_private) return;
    lane.take_all([&](int block, int member) {
        const std::size_t at = static_cast<std::size_t>(block) * bytes;
        collective_context.get(static_cast<char*>(dest) + at, static_cast<char*>(landing) + at,
                               bytes, group.world_pe(member), group.where());
    });
}

void fcollect_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes) {
    land(group, dest, source, bytes, dest);
}

void collect_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes) {
    const Mailboxes mailboxes(group.team(), group.where(), kEnd + 1);
    const Contributions blocks(group, mailboxes, dest, bytes);
    const Lane lane(group, mailboxes, true,
                    [&](int block, int index) { blocks.pass_on(block, index); });
    blocks.fill_in(source);
    lane.run(group.my_index());
}

Cost fcollect_hierarchical_cost(const TeamLayout& team, double n) {
    return syncs(1, team) +
           Cost{.latencies = 2 * (team.is_oversubscribed() ? 1 : lg(team.largest_node))} +
           each_member(team, team.npes * n, 0) +
           off_node(team, lg(team.nodes), team.off_node_members(), team.off_node_members() * n);
}

Cost collect_hierarchical_cost(const TeamLayout& team, double n) {
    return fcollect_hierarchical_cost(team, n) + Cost{.latencies = on_node_rounds(team)} +
           off_node(team, lg(team.npes), team.largest_node * lg(team.npes), 0);
}

constexpr AlgorithmTraits kCollectTraits{.name = "hierarchical",
                                         .formula = "2 lg p a + lg N A + n (p-m) B + p n b",
                                         .best_when = "several nodes of several PEs",
                                         .restriction = {.mailboxes = true,
                                                         .several_nodes = true,
                                                         .npes_max = Contributions::kMembersMax},
                                         .cost = collect_hierarchical_cost};

}  // namespace

extern constinit const Algorithm<Collect> kCollectHierarchical{kCollectTraits,
                                                               collect_hierarchical};
extern constinit const Algorithm<Allgatherv> kAllgathervHierarchical{kCollectTraits,
                                                                     collect_hierarchical};

extern constinit const Algorithm<Fcollect> kFcollectHierarchical{
    {.name = "hierarchical",
     .formula = "sync + lg N A + n (p-m) B + p n b",
     .best_when = "several nodes of several PEs",
     .restriction = kLandingOffNode,
     .cost = fcollect_hierarchical_cost},
    {fcollect_hierarchical, land}};

}  // namespace tessera::collectives
