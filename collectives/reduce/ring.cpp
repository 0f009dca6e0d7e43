// SPDX-License-Identifier: BSD-3-Clause
//
// Ring: the vector is cut into p blocks. A reduce-scatter: block b starts at member b and goes once
// around the ring, and each member combines the block from its left with its own part; then an
// allgather: each finished block goes around again, directly from dest to dest.
//
//   on a node       a member combines from its left neighbour's array, in place or by get
//   between nodes   the left neighbour puts pieces into its buffer (messaging/mailboxes.hpp), a few
//   ahead
//
// A finished block has been read on all members, so it may be written to all. When a member has all
// blocks, all members have begun, and no member reads its array. Each element is computed once.
// COST: 2 (p-1) a + 2 n (p-1)/p b + n (p-1)/p c; a node whose neighbours are on others sends and
// receives 2 n (p-1)/p bytes at each place where the ring leaves it. Any operation. Restriction: a
// team with mailboxes.
// Reference: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009.
#include "collectives/reduce/ring.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"
#include "core/pe_state.hpp"

namespace tessera::collectives {
namespace {

constexpr int kRingRound = 0;    // round of kData and kReady
constexpr int kOnNodeRound = 1;  // round of kReady

class Ring {
  public:
    explicit Ring(const Reduction& call)
        : call_(call),
          npes_(call.group.npes()),
          left_((call.group.my_index() + npes_ - 1) % npes_),
          right_((call.group.my_index() + 1) % npes_),
          left_is_on_node_(is_on_node(left_)),
          right_is_on_node_(is_on_node(right_)),
          cut_(call.group.my_index(), npes_, {.at = 0, .bytes = call.bytes()}, call.bytes()),
          mailboxes_(call.group.team(), call.group.where(), cut_.messages()),
          window_(mailboxes_, kRingRound, ring_slots(), cut_.messages()) {}

    void reduce_scatter() const {
        // The same order on all members: take a piece before offering the next one.
        for (std::uint32_t message = 0; message < cut_.messages(); ++message) {
            offer(message);
            take(message);
        }
    }

    // Member b - 1 has finished block b.
    void allgather() const {
        for (int step = 0; step < npes_ - 1; ++step) {
            const RingCut::Piece block = cut_.block(1 - step);
            const auto number = static_cast<std::uint32_t>(step);
            call_.put(right_, call_.dest + block.at, call_.dest + block.at, block.bytes);
            mailboxes_.post(GateKind::kDone, 0, right_, number);
            mailboxes_.wait(GateKind::kDone, 0, number);
        }
    }

  private:
    bool is_on_node(int index) const { return is_on_this_node(call_.group.world_pe(index)); }
    // The address of the offered piece: at first the member's own part.
    const char* offered_in(std::uint32_t message) const {
        return cut_.step_of(message) == 0 ? call_.source : call_.dest;
    }

    void offer(std::uint32_t message) const {
        if (right_is_on_node_)
            return mailboxes_.post(GateKind::kReady, kOnNodeRound, right_, message);
        const RingCut::Piece piece = cut_.offered(message);
        window_.send(right_, message, offered_in(message) + piece.at, piece.bytes);
    }

    // Combines the piece that the left neighbour has offered.
    void take(std::uint32_t message) const {
        const RingCut::Piece piece = cut_.taken(message);
        if (!left_is_on_node_) {
            combine(piece.at, window_.receive(message), piece.bytes);
            return window_.release(left_, message);
        }
        mailboxes_.wait(GateKind::kReady, kOnNodeRound, message);
        const char* theirs = offered_in(message);
        alignas(kCacheLineBytes) Chunk copy;
        for_each_chunk(piece.at, piece.at + piece.bytes, [&](std::size_t at, std::size_t bytes) {
            combine(at, call_.operand(left_, theirs + at, bytes, copy), bytes);
        });
    }
    void combine(std::size_t at, const char* theirs, std::size_t bytes) const {
        call_.kernel.combine_two(call_.dest + at, theirs, call_.source + at,
                                 bytes / call_.element_bytes());
    }

    const Reduction& call_;
    int npes_;
    int left_;
    int right_;
    bool left_is_on_node_;
    bool right_is_on_node_;
    RingCut cut_;
    Mailboxes mailboxes_;
    Window window_;
};

void reduce_ring(const Reduction& call) {
    if (call.group.npes() == 1) return begin_in_dest(call);
    const Ring ring(call);
    ring.reduce_scatter();
    ring.allgather();
}

Cost reduce_ring_cost(const TeamLayout& team, double n) {
    const double p = team.npes;
    const double moved = n * (p - 1) / p;
    return Cost{.latencies = 2 * (p - 1)} + each_member(team, 2 * moved, moved) +
           off_node(team, 2 * (p - 1) + ring_turns(team, p - 1, n / p), 2 * (p - 1), 2 * moved);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceRing{
    {.name = "ring",
     .formula = "2 (p-1) a + 2 n (p-1)/p b + n (p-1)/p c",
     .best_when = "long vectors, several nodes of one PE",
     .restriction = {.mailboxes = true, .exchanges = true, .in_order = false},
     .cost = reduce_ring_cost},
    reduce_ring};

}  // namespace tessera::collectives
