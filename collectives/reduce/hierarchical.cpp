// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchical: loads and stores inside the nodes, and between them as few bytes as possible. The
// members with the same place on their nodes are a lane; there are as many lanes as the smallest
// node has members. A lane works on its share of the vector, on all nodes at the same time:
//
//   long    a ring of the nodes (ring.hpp). What a member adds to a piece that comes from its left
//           is the sum over its node, combined from the members' sources where they lie, in the
//           same pass; so the node works while pieces are on their way. A finished block goes to
//           the right, and then to the others of the node while the next one comes.
//   short   chunk by chunk, the first member of each node combines all of the node's sources, the
//           first members do a recursive doubling through the mail, and write the result to their
//           nodes
//
// Members beyond the lanes only begin and end with the others of their node: gates around both, by
// dissemination. Nobody but its lane touches an element in between, so in place is safe. Each
// element is computed once per node at most, in the same order (long: once).
// COST: 2 lg m a on a node of m, 2 (N-1) A between N nodes (short: lg N A); a node sends and
// receives 2 n (N-1)/N bytes in all its lanes together, combines n (m - 1/N) and copies
// n (m-1), both by L lanes at the same time. Any operation. Restriction: a team with links.
// Reference: Träff, Hunold, "Decomposing collectives for exploiting multi-lane communication",
// 2020.
#include <cstring>

#include "collectives/on_node.hpp"
#include "collectives/reduce/algorithms.hpp"
#include "collectives/reduce/ring.hpp"

namespace tessera::collectives {
namespace {

static_assert(kNodeRound > 0);  // The stream uses round 0 of kReady.
constexpr std::uint32_t kBegin = 0;
constexpr std::uint32_t kEnd = 1;

// The members of this node.
class OnNode {
  public:
    OnNode(const Reduction& call, const TeamNodes& nodes) : call_(call), nodes_(nodes) {}

    int size() const { return nodes_.size(nodes_.mine); }
    int member(int place) const { return nodes_.member(nodes_.mine, place); }

    // result = first (unless nullptr) op the sources of the node's members; at most a chunk.
    // `result` may be this member's source.
    void combine(char* result, const char* first, std::size_t at, std::size_t bytes) const {
        constexpr std::size_t kAtOnce = 8;
        alignas(kCacheLineBytes) Chunk copy;
        alignas(kCacheLineBytes) Chunk sum;
        const std::size_t nelems = bytes / call_.element_bytes();
        const void* parts[kAtOnce];
        std::size_t count = 0;
        if (first != nullptr) parts[count++] = first;
        for (int place = 0; place < size(); ++place) {
            const char* theirs = call_.operand(member(place), call_.source + at, bytes, copy);
            parts[count++] = theirs;
            const bool is_last = place + 1 == size();
            if (is_last) return call_.kernel.combine_many(result, parts, count, nelems);
            if (count < kAtOnce && theirs != copy) continue;
            // Nothing is written to `result` before this member's source has been read.
            call_.kernel.combine_many(sum, parts, count, nelems);
            parts[0] = sum;
            count = 1;
        }
    }

    // What is in this member's dest, for the others.
    void share(const RingCut::Piece& piece) const {
        for (int i = 1; i < size(); ++i) {
            char* data = call_.dest + piece.at;
            call_.put(member((nodes_.place + i) % size()), data, data, piece.bytes);
        }
    }

  private:
    const Reduction& call_;
    const TeamNodes& nodes_;
};

// One lane's ring.
class Lane {
  public:
    Lane(const Reduction& call, const TeamNodes& nodes, const OnNode& node, const RingCut& cut,
         const Links& links)
        : call_(call),
          node_(node),
          cut_(cut),
          links_(links),
          nodes_(nodes.count()),
          right_(nodes.member((nodes.mine + 1) % nodes_, nodes.place)),
          stream_(links, nodes.member((nodes.mine + nodes_ - 1) % nodes_, nodes.place), right_,
                  cut.messages()) {}

    void reduce_scatter() const {
        // In this order on all nodes: a piece is taken before the next is offered.
        for (std::uint32_t message = 0; message < cut_.messages(); ++message) {
            const RingCut::Piece offered = cut_.offered(message);
            if (cut_.step_of(message) == 0) combine(offered, nullptr);
            stream_.send(message, call_.dest + offered.at, offered.bytes);
            combine(cut_.taken(message), stream_.receive(message));
            stream_.release(message);
        }
    }

    // Node b - 1 has finished block b.
    void allgather() const {
        for (int step = 0; step < nodes_ - 1; ++step) {
            const RingCut::Piece block = cut_.block(1 - step);
            const auto number = static_cast<std::uint32_t>(step);
            call_.put(right_, call_.dest + block.at, call_.dest + block.at, block.bytes);
            links_.post(LinkKind::kDone, 0, right_, number);
            node_.share(block);
            links_.wait(LinkKind::kDone, 0, number);
        }
        node_.share(cut_.block(2 - nodes_));
    }

  private:
    void combine(const RingCut::Piece& piece, const char* first) const {
        for_each_chunk(0, piece.bytes, [&](std::size_t at, std::size_t bytes) {
            node_.combine(call_.dest + piece.at + at, first != nullptr ? first + at : nullptr,
                          piece.at + at, bytes);
        });
    }

    const Reduction& call_;
    const OnNode& node_;
    const RingCut& cut_;
    const Links& links_;
    int nodes_;
    int right_;
    RingStream stream_;
};

void reduce_long(const Reduction& call) {
    const TeamNodes& nodes = call.group.team().by_node;
    const OnNode node(call, nodes);
    const auto lanes = static_cast<std::size_t>(nodes.smallest);
    const std::size_t share = (call.bytes() + lanes - 1) / lanes;
    const std::size_t lane_bytes =
        (share + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    const std::size_t begin =
        std::min(static_cast<std::size_t>(nodes.place) * lane_bytes, call.bytes());
    const RingCut cut(nodes.mine, nodes.count(),
                      {.at = begin, .bytes = std::min(lane_bytes, call.bytes() - begin)},
                      lane_bytes);
    const Links links(call.group.team(), call.group.where(), std::max(cut.messages(), kEnd + 1));
    sync_node(nodes, links, kBegin);
    if (nodes.place < nodes.smallest) {
        const Lane lane(call, nodes, node, cut, links);
        lane.reduce_scatter();
        lane.allgather();
    }
    sync_node(nodes, links, kEnd);
}

// Recursive doubling of the nodes' first members; `part` begins and ends in all of them.
void double_between_nodes(const Reduction& call, const TeamNodes& nodes, const Links& links,
                          Chunk& part) {
    const Core core(nodes.count(), nodes.mine);
    const std::size_t bytes = call.bytes();
    auto first_of = [&](int node) { return nodes.member(node, 0); };
    auto combine = [&](int round, int node) {
        const char* theirs = links.receive(round);
        const bool is_left = nodes.mine < node;
        call.kernel.combine_two(part, is_left ? part : theirs, is_left ? theirs : part,
                                call.nelems);
    };
    if (core.is_outside()) {
        links.send(first_of(nodes.mine + 1), Core::kFoldIn, part, bytes);
        std::memcpy(part, links.receive(Core::kFoldOut), bytes);
        return;
    }
    if (core.has_neighbour()) combine(Core::kFoldIn, nodes.mine - 1);
    for (int round = 0; round < core.rounds(); ++round) {
        const int partner = core.index_of(core.rank() ^ (1 << round));
        links.send(first_of(partner), round, part, bytes);
        combine(round, partner);
    }
    if (core.has_neighbour()) links.send(first_of(nodes.mine - 1), Core::kFoldOut, part, bytes);
}

// REQUIRES: at most kChunkBytes.
void reduce_short(const Reduction& call) {
    const TeamNodes& nodes = call.group.team().by_node;
    const OnNode node(call, nodes);
    const Links links(call.group.team(), call.group.where(), kEnd + 1);
    sync_node(nodes, links, kBegin);
    if (nodes.place == 0) {
        alignas(kCacheLineBytes) Chunk part;
        node.combine(part, nullptr, 0, call.bytes());
        double_between_nodes(call, nodes, links, part);
        std::memcpy(call.dest, part, call.bytes());
        node.share({.at = 0, .bytes = call.bytes()});
    }
    sync_node(nodes, links, kEnd);
}

}  // namespace

void reduce_hierarchical(const Reduction& call) {
    if (call.bytes() > kHierarchicalShortBytes) return reduce_long(call);
    for_each_chunk(0, call.bytes(), [&](std::size_t at, std::size_t bytes) {
        Reduction chunk = call;
        chunk.dest += at;
        chunk.source += at;
        chunk.nelems = bytes / call.element_bytes();
        reduce_short(chunk);
    });
}

}  // namespace tessera::collectives
