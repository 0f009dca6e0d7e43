// SPDX-License-Identifier: BSD-3-Clause
//
// The data crosses to each node once: from the root to one leader a node, down a tree of radix 4
// (tree.hpp), in pieces. The other members of a node copy each piece from their leader's dest, all
// at the same time, while the next piece is under way. The leader of the root's node is the root
// itself; its members copy from its source. After the first sync all dests may be written; after
// the sync of each node at the end the leader's data has been read.
// COST: a sync + ceil(log4 N) 3 (A + n B) between N nodes, at most, + lg m a + n b on a node of m;
// n bytes enter a node, and at most 3 n ceil(log4 N) leave the root's. Restriction: a team with
// mailboxes on several nodes.
#include <algorithm>

#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/on_node.hpp"
#include "collectives/patterns/tree.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

constexpr int kFromParent = 0;  // rounds of the mailboxes, both of kind kDone
constexpr int kFromLeader = 1;

class NodeTree {
  public:
    NodeTree(const Group& group, void* dest, const void* source, int root, void* landing)
        : group_(group),
          nodes_(group.team().by_node),
          dest_(static_cast<char*>(dest)),
          source_(static_cast<const char*>(source)),
          landing_(static_cast<char*>(landing)),
          root_(root),
          root_node_(node_of(group.team(), root)),
          leader_(leader_of(nodes_.mine)),
          tree_(tree_index_of(nodes_.mine), nodes_.count()) {}

    bool is_root() const { return group_.my_index() == root_; }
    bool is_leader() const { return group_.my_index() == leader_; }

    void lead(const Mailboxes& mailboxes, std::uint32_t piece, std::size_t at,
              std::size_t bytes) const {
        if (!is_root()) mailboxes.wait(GateKind::kDone, kFromParent, piece);
        const char* data = is_root() ? source_ : landing_;
        tree_.for_each_child_down([&](int child, int, int) {
            const int index = leader_of((root_node_ + child) % nodes_.count());
            collective_context.put_nbi(landing_ + at, data + at, bytes, group_.world_pe(index),
                                       group_.where());
            mailboxes.post(GateKind::kDone, kFromParent, index, piece);
        });
        if (is_root() && is_private()) copy_bytes(landing_ + at, source_ + at, bytes);
        for (int i = 0; i < nodes_.size(nodes_.mine); ++i) {
            const int index = nodes_.member(nodes_.mine, i);
            if (index != leader_) mailboxes.post(GateKind::kDone, kFromLeader, index, piece);
        }
        if (!is_root() && is_private()) copy_bytes(dest_ + at, landing_ + at, bytes);
    }
    void follow(const Mailboxes& mailboxes, std::uint32_t piece, std::size_t at,
                std::size_t bytes) const {
        mailboxes.wait(GateKind::kDone, kFromLeader, piece);
        const char* data = leader_ == root_ && !is_private() ? source_ : landing_;
        collective_context.get(dest_ + at, data + at, bytes, group_.world_pe(leader_),
                               group_.where());
    }

  private:
    bool is_private() const { return landing_ != dest_; }
    int leader_of(int node) const { return node == root_node_ ? root_ : nodes_.member(node, 0); }
    int tree_index_of(int node) const {
        return (node - root_node_ + nodes_.count()) % nodes_.count();
    }

    const Group& group_;
    const TeamNodes& nodes_;
    char* dest_;
    const char* source_;
    char* landing_;
    int root_;
    int root_node_;
    int leader_;  // first member of this node
    Tree tree_;   // tree of nodes, from the root's on
};

void land(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
          RootDest root_dest, void* landing) {
    if (bytes == 0) return;
    constexpr std::size_t kWholePiece = 2 * kPipelinePieceBytes;
    const auto pieces = static_cast<std::uint32_t>((bytes + kWholePiece - 1) / kWholePiece);
    const Mailboxes mailboxes(group.team(), group.where(), pieces);
    const NodeTree broadcast(group, dest, source, root, landing);
    group.sync();
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        const std::size_t at = piece * kWholePiece;
        const std::size_t piece_bytes = std::min(kWholePiece, bytes - at);
        if (broadcast.is_leader()) {
            broadcast.lead(mailboxes, piece, at, piece_bytes);
        } else {
            broadcast.follow(mailboxes, piece, at, piece_bytes);
        }
    }
    // The program may change the memory after this call, so the pieces under way must leave first.
    if (broadcast.is_leader()) group.deliver();
    sync_node(group.team().by_node, mailboxes, 0);
    if (broadcast.is_root()) copy_at_root(dest, source, bytes, root_dest);
}

void broadcast_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes,
                            int root, RootDest root_dest) {
    land(group, dest, source, bytes, root, root_dest, dest);
}

Cost broadcast_hierarchical_cost(const TeamLayout& team, double n) {
    const double off_node_levels = lg4(team.nodes);
    return syncs(1, team) +
           Cost{.latencies = team.is_oversubscribed() ? 1 : lg(team.largest_node)} +
           each_member(team, n, 0) +
           off_node(team, off_node_levels - 1 + kDelivery,
                    off_node_children(team) * off_node_levels,
                    1.2 * off_node_children(team) * off_node_levels * n);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastHierarchical{
    {.name = "hierarchical",
     .formula = "sync + log4 N 3 (A + n B) + n b",
     .best_when = "several nodes of several PEs",
     .restriction = kLandingOffNode,
     .cost = broadcast_hierarchical_cost},
    {broadcast_hierarchical, land}};

}  // namespace tessera::collectives
