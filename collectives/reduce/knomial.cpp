// SPDX-License-Identifier: BSD-3-Clause
//
// K-nomial: a tree of radix 4 leads to member 0. Member i, whose lowest digit that is not 0 (base
// 4) is at level k, has the members i + d 4^j (j < k, d = 1, 2, 3) as children, and stands for the
// members [i, i + 4^k): its own part and those of its children follow each other, so all parts are
// combined in the order of the members. The result goes down the same tree.
//
//   short   through the mail
//   long    in pieces: a parent combines its children's pieces where they lie (direct), or reads
//           those of a level at once (put_get, other nodes), and writes the result to them. A
//           member takes up the next pieces while earlier ones are on their way up and down.
//
// A piece is written to when its parent has read it; a member is done when it has the last piece,
// for which all have begun. All posts are waited for.
// COST: 2 log4 p (3 a), and on the root 3 log4 p n b + 3 log4 p n c up and 3 log4 p n b down;
// pieces overlap, so a long vector costs as much as the root. Any operation; each element is
// computed once. Restriction: a team with links.
// Reference: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
// MPICH", 2005 (binomial); radix 4 has half the levels, each with 3 messages at the same time.
#include <cstring>

#include "collectives/reduce/algorithms.hpp"

namespace tessera::collectives {
namespace {

constexpr int kRadix = 4;
constexpr int kSiblings = kRadix - 1;
// Those of all children fit into the room.
std::size_t piece_bytes() { return kLinkRounds / kSiblings * mail_bytes; }

// A gate, with what came with it, for each child of a member. Down, there is one writer only.
constexpr int kDownRound = kLinkRounds - 1;
constexpr int kLevelsMax = 2 * kDownRound / kSiblings;
static_assert(kLevelsMax >= 14, "4^14 members");
constexpr int kMailLevelsMax = kDownRound / kSiblings;

struct UpGate {
    LinkKind kind;
    int round;
};
UpGate up_gate(int level, int digit) {
    const int number = level * kSiblings + digit - 1;
    if (number < kDownRound) return {LinkKind::kReady, number};
    return {LinkKind::kDone, number - kDownRound};
}

// Where member `index` of `npes` is in the tree.
struct Place {
    int levels = 0;  // that it may have children on
    int digit = 0;   // among its siblings; 0: the root
    int parent = 0;

    Place(int index, int npes) {
        int weight = 1;
        while (weight < npes && index / weight % kRadix == 0) {
            weight *= kRadix;
            ++levels;
        }
        if (index != 0) digit = index / weight % kRadix;
        parent = index - digit * weight;
    }
};

class Tree {
  public:
    Tree(const Reduction& call, std::uint32_t pieces)
        : call_(call),
          npes_(call.group.npes()),
          me_(call.group.my_index()),
          place_(me_, npes_),
          depth_(static_cast<std::uint32_t>(Place(0, npes_).levels)),
          pieces_(pieces),
          links_(call.group.team(), call.group.where(), pieces) {}

    bool is_root() const { return place_.digit == 0; }

    void run_short() const {
        const std::size_t bytes = call_.bytes();
        alignas(kCacheLineBytes) Chunk part;
        std::memcpy(part, call_.source, bytes);
        for_each_child([&](int, int level, int digit) {
            call_.kernel.combine(part, links_.receive(up_gate(level, digit).round), call_.nelems);
        });
        const char* result = part;
        if (!is_root()) {
            links_.send(place_.parent, up_gate(place_.levels, place_.digit).round, part, bytes);
            result = links_.receive(kDownRound);
        }
        for_each_child([&](int child, int, int) { links_.send(child, kDownRound, result, bytes); });
        std::memcpy(call_.dest, result, bytes);
    }

    void run_long() const {
        const std::uint32_t lag = is_root() ? 0 : depth_;
        for (std::uint32_t piece = 0; piece < pieces_ + lag; ++piece) {
            if (piece < pieces_) move_up(piece);
            if (piece >= lag) move_down(piece - lag);
        }
    }

  private:
    // Calls visit(child, level, digit) in the order of the members.
    template <class Visit>
    void for_each_child(Visit visit) const {
        int weight = 1;
        for (int level = 0; level < place_.levels; ++level, weight *= kRadix) {
            for (int digit = 1; digit < kRadix && me_ + digit * weight < npes_; ++digit) {
                visit(me_ + digit * weight, level, digit);
            }
        }
    }
    std::size_t begin_of(std::uint32_t piece) const { return piece * piece_bytes(); }
    std::size_t bytes_of(std::uint32_t piece) const {
        return std::min(piece_bytes(), call_.bytes() - begin_of(piece));
    }
    // Where the part of a member with these levels is: combined with its children's, or its own.
    const char* part_of(int index, int levels) const {
        return levels > 0 && index + 1 < npes_ ? call_.dest : call_.source;
    }

    void move_up(std::uint32_t piece) const {
        const std::size_t at = begin_of(piece);
        const std::size_t bytes = bytes_of(piece);
        int weight = 1;
        const int levels = me_ + 1 < npes_ ? place_.levels : 0;
        for (int level = 0; level < levels; ++level, weight *= kRadix) {
            const char* parts[kRadix];
            std::size_t count = 1;
            parts[0] = (level == 0 ? call_.source : call_.dest) + at;
            bool must_wait = false;
            for (int digit = 1; digit < kRadix && me_ + digit * weight < npes_; ++digit) {
                const int child = me_ + digit * weight;
                const UpGate gate = up_gate(level, digit);
                links_.wait(gate.kind, gate.round, piece);
                const char* theirs = part_of(child, level) + at;
                const char* mapped = mapped_part(child, theirs, bytes);
                if (mapped == nullptr) {
                    char* copy = links_.room() + (count - 1) * piece_bytes();
                    collective_context.get_nbi(copy, theirs, bytes, call_.group.world_pe(child),
                                               call_.group.where());
                    mapped = copy;
                    must_wait = true;
                }
                parts[count++] = mapped;
            }
            if (must_wait) collective_context.quiet();
            combine(call_.dest + at, parts, count, bytes);
        }
        if (is_root()) return;
        const UpGate gate = up_gate(place_.levels, place_.digit);
        links_.post(gate.kind, gate.round, place_.parent, piece);
    }

    const char* mapped_part(int index, const char* address, std::size_t bytes) const {
        if (call_.access != Access::kDirect) return nullptr;
        return address_map.remote(address, bytes, call_.group.world_pe(index), call_.group.where());
    }

    void combine(char* result, const char* const* parts, std::size_t count,
                 std::size_t bytes) const {
        if (count == 1) {
            if (result != parts[0]) std::memcpy(result, parts[0], bytes);
            return;
        }
        const void* sources[kRadix];
        for_each_chunk(0, bytes, [&](std::size_t at, std::size_t chunk) {
            for (std::size_t i = 0; i < count; ++i) sources[i] = parts[i] + at;
            call_.kernel.combine_many(result + at, sources, count, chunk / call_.element_bytes());
        });
    }

    void move_down(std::uint32_t piece) const {
        if (!is_root()) links_.wait(LinkKind::kMail, kDownRound, piece);
        char* result = call_.dest + begin_of(piece);
        for_each_child([&](int child, int, int) {
            call_.put(child, result, result, bytes_of(piece));
            links_.post(LinkKind::kMail, kDownRound, child, piece);
        });
    }

    const Reduction& call_;
    int npes_;
    int me_;
    Place place_;
    std::uint32_t depth_;
    std::uint32_t pieces_;
    Links links_;
};

}  // namespace

void reduce_knomial(const Reduction& call) {
    if (call.group.npes() == 1) return begin_in_dest(call);
    const bool is_short =
        call.bytes() <= kChunkBytes && Place(0, call.group.npes()).levels <= kMailLevelsMax;
    const std::size_t pieces = is_short ? 1 : (call.bytes() + piece_bytes() - 1) / piece_bytes();
    const Tree tree(call, static_cast<std::uint32_t>(pieces));
    if (is_short) return tree.run_short();
    tree.run_long();
}

}  // namespace tessera::collectives
