// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchical, chunk by chunk: the first member of each node adds the sources of its node in
// place. The first members then scan these sums by recursive doubling: in round r the first member
// of node k sends its partial sum to that of node k + 2^r. With the sum of the nodes on the left
// each goes over its node's members again and writes their dests. The node has a sync before and
// after both. In each round a first member also tells the one on its left that it has begun.
// Otherwise nodes in front could be several collectives ahead of the nodes behind, and write to
// slots that are not read yet.
// COST: 2 lg m a on a node of m, lg N A between N nodes; a first member adds 2 m n bytes and writes
// m n. Sums are those of neighbours, in order, but associated by nodes: floating point may differ
// from slice in the last bits. Restriction: a team with mailboxes, on several nodes, in whose order
// the members of a node follow each other. Reference: Träff, Hunold, "Decomposing collectives for
// exploiting multi-lane communication", 2020.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/patterns/on_node.hpp"
#include "collectives/scan/in_turn.hpp"
#include "collectives/scan/scan.hpp"

namespace tessera::collectives {
namespace {

constexpr std::uint32_t kBegin = 0;
constexpr std::uint32_t kEnd = 1;

class FirstMember {
  public:
    FirstMember(const Group& group, const Mailboxes& mailboxes, const Kernel& sum, ScanKind kind)
        : group_(group),
          nodes_(group.team().by_node),
          mailboxes_(mailboxes),
          sum_(sum),
          kind_(kind),
          members_{.begin = first_of(nodes_.mine),
                   .end = first_of(nodes_.mine) + nodes_.size(nodes_.mine)} {}

    void scan(const ScanChunk& chunk) const {
        alignas(kCacheLineBytes) Chunk own;
        alignas(kCacheLineBytes) Chunk before;
        add_node(chunk, own);
        scan_between_nodes(chunk.bytes, own, before);
        scan_in_turn(group_, members_, chunk, sum_, kind_, nodes_.mine > 0 ? before : nullptr);
    }

  private:
    int first_of(int node) const { return nodes_.member(node, 0); }

    // own = the sum of the node's sources.
    void add_node(const ScanChunk& chunk, Chunk& own) const {
        alignas(kCacheLineBytes) Chunk copy;
        const std::size_t nelems = chunk.bytes / sum_.element_bytes;
        int index = members_.begin;
        if (kind_ == ScanKind::kExclusive && nodes_.mine == 0) {
            std::memset(own, 0, chunk.bytes);  // The exclusive form begins with +0.0.
        } else {
            std::memcpy(own, operand_of(group_, index++, chunk.source, chunk.bytes, copy),
                        chunk.bytes);
        }
        for (; index < members_.end; ++index)
            sum_.combine(own, operand_of(group_, index, chunk.source, chunk.bytes, copy), nelems);
    }

    // before = the sum of all nodes on the left, if there are any.
    void scan_between_nodes(std::size_t bytes, Chunk& own, Chunk& before) const {
        const std::size_t nelems = bytes / sum_.element_bytes;
        bool is_first = true;
        int round = 0;
        for (int distance = 1; distance < nodes_.count(); distance *= 2, ++round) {
            const bool has_right = nodes_.mine + distance < nodes_.count();
            if (has_right) mailboxes_.send(first_of(nodes_.mine + distance), round, own, bytes);
            if (nodes_.mine >= distance) {
                mailboxes_.post(GateKind::kDone, round, first_of(nodes_.mine - distance));
                const char* left = mailboxes_.receive(round);
                sum_.combine_two(own, left, own, nelems);
                if (is_first) {
                    std::memcpy(before, left, bytes);
                } else {
                    sum_.combine_two(before, left, before, nelems);
                }
                is_first = false;
            }
            if (has_right) mailboxes_.wait(GateKind::kDone, round);
        }
    }

    const Group& group_;
    const TeamNodes& nodes_;
    const Mailboxes& mailboxes_;
    const Kernel& sum_;
    ScanKind kind_;
    Members members_;
};

void scan_hierarchical(const Group& group, void* dest, const void* source, std::size_t nelems,
                       const Kernel& sum, ScanKind kind) {
    const TeamNodes& nodes = group.team().by_node;
    for_each_chunk(0, nelems * sum.element_bytes, [&](std::size_t at, std::size_t bytes) {
        const Mailboxes mailboxes(group.team(), group.where(), kEnd + 1);
        sync_node(nodes, mailboxes, kBegin);
        if (nodes.index_on_node == 0) {
            FirstMember(group, mailboxes, sum, kind)
                .scan({.dest = static_cast<char*>(dest) + at,
                       .source = static_cast<const char*>(source) + at,
                       .bytes = bytes});
        }
        sync_node(nodes, mailboxes, kEnd);
    });
}

Cost scan_hierarchical_cost(const TeamLayout& team, double n) {
    const double m = team.largest_node;
    const double times = chunks(n);
    const double rounds = times * lg(team.nodes);
    return Cost{.latencies = times * 2 * (team.is_oversubscribed() ? 1 : lg(m)),
                .copied_critical_path = m * n,
                .copied_total = m * n,
                .combined_critical_path = 2 * m * n,
                .combined_total = 2 * m * n} +
           off_node(team, rounds, rounds, lg(team.nodes) * n);
}

}  // namespace

extern constinit const Algorithm<Scan> kScanHierarchical{
    {.name = "hierarchical",
     .formula = "lg N A + 2 lg m a + m n (2 c + b)",
     .best_when = "short vectors, several nodes of several PEs",
     .restriction =
         {.mailboxes = true, .several_nodes = true, .nodes_in_order = true, .in_order = false},
     .cost = scan_hierarchical_cost},
    scan_hierarchical};

}  // namespace tessera::collectives
