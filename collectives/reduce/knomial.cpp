// SPDX-License-Identifier: BSD-3-Clause
//
// K-nomial: a tree of radix 4 leads to member 0. Member i, whose lowest digit that is not 0 (base
// 4) is at level k, has the members i + d 4^j (j < k, d = 1, 2, 3) as children, and stands for the
// members [i, i + 4^k): its own part and those of its children follow each other, so all parts are
// combined in the order of the members. The result goes down the same tree.
//
//   short   through slots
//   long    in pieces: a parent combines its children's pieces in place, or reads those of a level
//           at once from other nodes, and writes the result to the children. A member begins the
//           next pieces while earlier ones are under way up and down.
//
// A piece is overwritten only after its parent has read it. A member is done when it has the last
// piece, for which all members have begun. Every post has a waiter.
// COST: 2 log4 p (3 a), and on the root 3 log4 p n b + 3 log4 p n c up and 3 log4 p n b down;
// pieces overlap, so a long vector costs as much as the root. Any operation; each element is
// computed once. Restriction: a team with mailboxes.
// Reference: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
// MPICH", 2005 (binomial); radix 4 has half the levels, each with 3 messages at the same time.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/patterns/tree.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

// The pieces of all children of a level fit into the buffer.
constexpr std::size_t kPieceBytes = kMailboxRounds / Tree::kSiblings * kSlotBytes;

// A gate and its data for each child of a member. Downwards there is one writer only.
constexpr int kDownRound = kMailboxRounds - 1;
constexpr int kLevelsMax = 2 * kDownRound / Tree::kSiblings;
static_assert(kLevelsMax >= 14, "4^14 members");
constexpr int kSlotLevelsMax = kDownRound / Tree::kSiblings;

struct UpGate {
    GateKind kind;
    int round;
};
UpGate up_gate(int level, int digit) {
    const int number = level * Tree::kSiblings + digit - 1;
    if (number < kDownRound) return {GateKind::kReady, number};
    return {GateKind::kDone, number - kDownRound};
}

class TreeReduction {
  public:
    TreeReduction(const Reduction& call, std::uint32_t pieces)
        : call_(call),
          npes_(call.group.npes()),
          me_(call.group.my_index()),
          tree_(me_, npes_),
          depth_(static_cast<std::uint32_t>(Tree(0, npes_).levels())),
          pieces_(pieces),
          mailboxes_(call.group.team(), call.group.where(), pieces) {}

    void run_short() const {
        const std::size_t bytes = call_.bytes();
        alignas(kCacheLineBytes) Chunk part;
        std::memcpy(part, call_.source, bytes);
        tree_.for_each_child([&](int, int level, int digit) {
            call_.kernel.combine(part, mailboxes_.receive(up_gate(level, digit).round),
                                 call_.nelems);
        });
        const char* result = part;
        if (!tree_.is_root()) {
            mailboxes_.send(tree_.parent(), up_gate(tree_.levels(), tree_.digit()).round, part,
                            bytes);
            result = mailboxes_.receive(kDownRound);
        }
        tree_.for_each_child(
            [&](int child, int, int) { mailboxes_.send(child, kDownRound, result, bytes); });
        std::memcpy(call_.dest, result, bytes);
    }

    void run_long() const {
        const std::uint32_t lag = tree_.is_root() ? 0 : depth_;
        for (std::uint32_t piece = 0; piece < pieces_ + lag; ++piece) {
            if (piece < pieces_) move_up(piece);
            if (piece >= lag) move_down(piece - lag);
        }
    }

  private:
    std::size_t begin_of(std::uint32_t piece) const { return piece * kPieceBytes; }
    std::size_t bytes_of(std::uint32_t piece) const {
        return std::min(kPieceBytes, call_.bytes() - begin_of(piece));
    }
    // The address of a member's part: combined with its children's, or its own.
    const char* part_of(int index, int levels) const {
        return levels > 0 && index + 1 < npes_ ? call_.dest : call_.source;
    }

    void move_up(std::uint32_t piece) const {
        const std::size_t at = begin_of(piece);
        const std::size_t bytes = bytes_of(piece);
        const int levels = me_ + 1 < npes_ ? tree_.levels() : 0;
        for (int level = 0; level < levels; ++level) {
            const char* parts[Tree::kRadix];
            std::size_t count = 1;
            parts[0] = (level == 0 ? call_.source : call_.dest) + at;
            bool must_wait = false;
            tree_.for_each_child_on(level, [&](int child, int digit) {
                const UpGate gate = up_gate(level, digit);
                mailboxes_.wait(gate.kind, gate.round, piece);
                const char* theirs = part_of(child, level) + at;
                const char* mapped = mapped_part(child, theirs, bytes);
                if (mapped == nullptr) {
                    char* copy = mailboxes_.buffer() + (count - 1) * kPieceBytes;
                    collective_context.get_nbi(copy, theirs, bytes, call_.group.world_pe(child),
                                               call_.group.where());
                    mapped = copy;
                    must_wait = true;
                }
                parts[count++] = mapped;
            });
            if (must_wait) collective_context.quiet();
            combine(call_.dest + at, parts, count, bytes);
        }
        if (tree_.is_root()) return;
        const UpGate gate = up_gate(tree_.levels(), tree_.digit());
        mailboxes_.post(gate.kind, gate.round, tree_.parent(), piece);
    }

    const char* mapped_part(int index, const char* address, std::size_t bytes) const {
        return mapped_operand(address, bytes, call_.group.world_pe(index), call_.group.where());
    }

    void combine(char* result, const char* const* parts, std::size_t count,
                 std::size_t bytes) const {
        if (count == 1) {
            if (result != parts[0]) std::memcpy(result, parts[0], bytes);
            return;
        }
        const void* sources[Tree::kRadix];
        for_each_chunk(0, bytes, [&](std::size_t at, std::size_t chunk) {
            for (std::size_t i = 0; i < count; ++i) sources[i] = parts[i] + at;
            call_.kernel.combine_many(result + at, sources, count, chunk / call_.element_bytes());
        });
    }

    void move_down(std::uint32_t piece) const {
        if (!tree_.is_root()) mailboxes_.wait(GateKind::kData, kDownRound, piece);
        char* result = call_.dest + begin_of(piece);
        tree_.for_each_child([&](int child, int, int) {
            call_.put(child, result, result, bytes_of(piece));
            mailboxes_.post(GateKind::kData, kDownRound, child, piece);
        });
    }

    const Reduction& call_;
    int npes_;
    int me_;
    Tree tree_;
    std::uint32_t depth_;
    std::uint32_t pieces_;
    Mailboxes mailboxes_;
};

void reduce_knomial(const Reduction& call) {
    if (call.group.npes() == 1) return begin_in_dest(call);
    const bool is_short =
        call.bytes() <= kChunkBytes && Tree(0, call.group.npes()).levels() <= kSlotLevelsMax;
    const std::size_t pieces = is_short ? 1 : (call.bytes() + kPieceBytes - 1) / kPieceBytes;
    const TreeReduction reduction(call, static_cast<std::uint32_t>(pieces));
    if (is_short) return reduction.run_short();
    reduction.run_long();
}

Cost reduce_knomial_cost(const TeamLayout& team, double n) {
    const double levels = lg4(team.largest_node);
    const double off_node_levels = lg4(team.nodes);
    const double most = Tree::kSiblings / 2.0;
    const double count = pieces(n, Tree::kRadix * static_cast<double>(kChunkBytes));
    const bool is_short = n <= static_cast<double>(kChunkBytes);  // The parent gets long ones.
    // As in ring_turns(): elsewhere pieces overlap.
    const double turns =
        team.is_oversubscribed() && !is_short ? pieces(n, static_cast<double>(kPieceBytes)) : 0;
    return Cost{.latencies = 2 * levels + count - 1,
                .copied_critical_path = most * levels * n + n +
                                        (is_short ? kMailboxPush * (team.largest_node - 1) * n : 0),
                .copied_total = (team.largest_node - 1) * n,
                .combined_critical_path = most * levels * n,
                .combined_total = (team.largest_node - 1) * n} +
           off_node(team, (is_short ? 3.4 : 4) * off_node_levels + turns,
                    off_node_children(team) * off_node_levels * chunks(n),
                    off_node_children(team) * off_node_levels * n);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceKnomial{
    {.name = "knomial",
     .formula = "6 log4 p a + 6 log4 p n b + 3 log4 p n c",
     .best_when = "long vectors, many nodes of one PE, slow messages",
     .restriction = kMailboxesAssociative,
     .cost = reduce_knomial_cost},
    reduce_knomial};

}  // namespace tessera::collectives
