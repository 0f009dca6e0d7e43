// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchical: loads and stores inside the nodes, and between them as few bytes as possible. The
// members with the same place on their nodes form a lane; there are as many lanes as the smallest
// node has members. A lane works on its share of the vector, on all nodes at the same time:
//
//   long    a ring of the nodes (ring.hpp). A member combines each piece from its left with its
//           node's sources in place, in one pass; so the node works while pieces are under way. A
//           finished block goes to the right, and then to the other members of the node while the
//           next one arrives.
//   short   chunk by chunk, the first member of each node combines all of the node's sources, the
//           first members do a recursive doubling through slots, and write the result to their
//           nodes
//
// Where arrays are private, the vector lies in symmetric memory of each member; in the long form a
// lane keeps its result there, and the others copy from it what they want.
//
// Members beyond the lanes only begin and end with the other members of their node, by a
// dissemination before and after. In between only its lane touches an element, so dest may be
// source. Each element is computed once per node at most, in the same order (long: once).
// COST: 2 lg m a on a node of m, 2 (N-1) A between N nodes (short: lg N A); a node sends and
// receives 2 n (N-1)/N bytes in all its lanes together, combines n (m - 1/N) and copies
// n (m-1), both by L lanes at the same time. Any operation. Restriction: a team with mailboxes.
// Reference: Träff, Hunold, "Decomposing collectives for exploiting multi-lane communication",
// 2020.
#include <cstring>

#include "base/bits.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/doubling.hpp"
#include "collectives/patterns/on_node.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce/ring.hpp"
#include "collectives/reduce/to_owners.hpp"

namespace tessera::collectives {
namespace {

constexpr int kWindowRound = 0;
static_assert(kNodeRound > kWindowRound);  // Both use kReady.
// Up to this size the first members of the nodes work alone.
constexpr std::size_t kShortBytes = 2 * kChunkBytes;
// A step of a ring of nodes where PEs share cores, in off-node latencies: every lane waits.
constexpr double kOversubscribedStep = 1.35;
constexpr std::uint32_t kBegin = 0;
constexpr std::uint32_t kEnd = 1;
constexpr std::uint32_t kTaken = 2;

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

    // Copies this member's dest to the others of the node.
    void share(const RingCut::Piece& piece) const {
        for (int i = 1; i < size(); ++i) {
            char* data = call_.dest + piece.at;
            call_.put(member((nodes_.index_on_node + i) % size()), data, data, piece.bytes);
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
         const Mailboxes& mailboxes)
        : call_(call),
          node_(node),
          cut_(cut),
          mailboxes_(mailboxes),
          nodes_(nodes.count()),
          left_(nodes.member((nodes.mine + nodes_ - 1) % nodes_, nodes.index_on_node)),
          right_(nodes.member((nodes.mine + 1) % nodes_, nodes.index_on_node)),
          window_(mailboxes, kWindowRound, ring_slots(), cut.messages()) {}

    void reduce_scatter() const {
        // The same order on all nodes: take a piece before offering the next one.
        for (std::uint32_t message = 0; message < cut_.messages(); ++message) {
            const RingCut::Piece offered = cut_.offered(message);
            if (cut_.step_of(message) == 0) combine(offered, nullptr);
            window_.send(right_, message, call_.dest + offered.at, offered.bytes);
            combine(cut_.taken(message), window_.receive(message));
            window_.release(left_, message);
        }
    }

    // Node b - 1 has finished block b.
    void allgather() const {
        for (int step = 0; step < nodes_ - 1; ++step) {
            const RingCut::Piece block = cut_.block(1 - step);
            const auto number = static_cast<std::uint32_t>(step);
            call_.put(right_, call_.dest + block.at, call_.dest + block.at, block.bytes);
            mailboxes_.post(GateKind::kDone, 0, right_, number);
            share(block);
            mailboxes_.wait(GateKind::kDone, 0, number);
        }
        share(cut_.block(2 - nodes_));
    }

  private:
    void share(const RingCut::Piece& block) const {
        if (!call_.lands) node_.share(block);
    }
    void combine(const RingCut::Piece& piece, const char* first) const {
        for_each_chunk(0, piece.bytes, [&](std::size_t at, std::size_t bytes) {
            node_.combine(call_.dest + piece.at + at, first != nullptr ? first + at : nullptr,
                          piece.at + at, bytes);
        });
    }

    const Reduction& call_;
    const OnNode& node_;
    const RingCut& cut_;
    const Mailboxes& mailboxes_;
    int nodes_;
    int left_;
    int right_;
    Window window_;
};

// Copies what this member wants from the lanes of its node, of `lane_bytes` each.
void take_wanted(const Reduction& call, const TeamNodes& nodes, std::size_t lane_bytes) {
    for (int i = 0; i < nodes.smallest; ++i) {
        const int lane = (nodes.index_on_node + i) % nodes.smallest;
        const std::size_t at = static_cast<std::size_t>(lane) * lane_bytes;
        const std::size_t begin = std::max(at, call.wanted_begin);
        const std::size_t end = std::min(at + lane_bytes, call.wanted_end);
        if (begin >= end) continue;
        collective_context.get(call.wanted + (begin - call.wanted_begin), call.dest + begin,
                               end - begin, call.group.world_pe(nodes.member(nodes.mine, lane)),
                               call.group.where());
    }
}

void reduce_long(const Reduction& call) {
    const TeamNodes& nodes = call.group.team().by_node;
    const OnNode node(call, nodes);
    const auto lanes = static_cast<std::size_t>(nodes.smallest);
    const std::size_t share = (call.bytes() + lanes - 1) / lanes;
    const std::size_t lane_bytes = round_up(share, kCacheLineBytes);
    const std::size_t begin =
        std::min(static_cast<std::size_t>(nodes.index_on_node) * lane_bytes, call.bytes());
    const RingCut cut(nodes.mine, nodes.count(),
                      {.at = begin, .bytes = std::min(lane_bytes, call.bytes() - begin)},
                      lane_bytes);
    const Mailboxes mailboxes(call.group.team(), call.group.where(),
                              std::max(cut.messages(), kTaken + 1));
    sync_node(nodes, mailboxes, kBegin);
    if (nodes.index_on_node < nodes.smallest) {
        const Lane lane(call, nodes, node, cut, mailboxes);
        lane.reduce_scatter();
        lane.allgather();
    }
    sync_node(nodes, mailboxes, kEnd);
    if (!call.lands) return;
    take_wanted(call, nodes, lane_bytes);
    sync_node(nodes, mailboxes, kTaken);
}

// REQUIRES: at most kChunkBytes.
void reduce_short(const Reduction& call) {
    const TeamNodes& nodes = call.group.team().by_node;
    const OnNode node(call, nodes);
    const Mailboxes mailboxes(call.group.team(), call.group.where(), kEnd + 1);
    sync_node(nodes, mailboxes, kBegin);
    if (nodes.index_on_node == 0) {
        alignas(kCacheLineBytes) Chunk part;
        node.combine(part, nullptr, 0, call.bytes());
        double_part(
            mailboxes, Core(nodes.count(), nodes.mine), nodes.mine,
            [&](int other) { return nodes.member(other, 0); }, call.kernel, part, call.nelems);
        std::memcpy(call.dest, part, call.bytes());
        node.share({.at = 0, .bytes = call.bytes()});
    }
    sync_node(nodes, mailboxes, kEnd);
}

void reduce_hierarchical(const Reduction& call) {
    if (call.bytes() > kShortBytes) return reduce_long(call);
    for_each_chunk(0, call.bytes(), [&](std::size_t at, std::size_t bytes) {
        Reduction chunk = call;
        chunk.dest += at;
        chunk.source += at;
        chunk.nelems = bytes / call.element_bytes();
        reduce_short(chunk);
    });
    if (!call.lands || call.wanted_begin == call.wanted_end) return;
    std::memcpy(call.wanted, call.dest + call.wanted_begin, call.wanted_end - call.wanted_begin);
}

Cost reduce_hierarchical_cost(const TeamLayout& team, double n) {
    const double m = team.largest_node;
    const bool is_short = n <= static_cast<double>(kShortBytes);
    const double times = is_short ? chunks(n) : 1;
    const Cost meeting{.latencies = times * 2 * (team.is_oversubscribed() ? 1 : lg(m))};
    if (is_short) {  // The first members alone.
        const double rounds = times * exchange_rounds(team.nodes);
        return meeting +
               Cost{.copied_critical_path = m * n,
                    .copied_total = m * n,
                    .combined_critical_path = m * n,
                    .combined_total = m * n} +
               off_node(team, rounds, rounds, rounds * n);
    }
    const double moved = n * (team.nodes - 1) / team.nodes;
    // The lanes of a node take turns, each for every piece.
    const double turns = 0.75 * m * (m - 1) * ring_turns(team, team.nodes - 1, n / m / team.nodes);
    const double steps = 2 * (team.nodes - 1);
    const double waits = team.is_oversubscribed() ? kOversubscribedStep * steps : steps;
    return meeting + each_member(team, n * (m - 1) / m, n) +
           off_node(team, waits + turns, steps, 2 * moved);
}

Cost scatter_cost(const TeamLayout& team, double n) {
    return reduce_hierarchical_cost(team, team.npes * n);
}

constexpr AlgorithmTraits traits(CostFunction function) {
    return {.name = "hierarchical",
            .formula = "2 (N-1) A + 2 n (N-1)/N B + n (b + c)",
            .best_when = "several nodes of several PEs",
            .restriction = {.symmetric = Symmetric::kNothing,
                            .lands = true,
                            .mailboxes = true,
                            .several_nodes = true,
                            .exchanges = true,
                            .in_order = false},
            .cost = function};
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceHierarchical{traits(reduce_hierarchical_cost),
                                                             reduce_hierarchical};
extern constinit const Algorithm<ReduceToRoot> kReduceToRootHierarchical{
    traits(reduce_hierarchical_cost), reduce_hierarchical};
extern constinit const Algorithm<ReduceScatter> kReduceScatterHierarchical{traits(scatter_cost),
                                                                           reduce_hierarchical};

}  // namespace tessera::collectives
