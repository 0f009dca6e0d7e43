// SPDX-License-Identifier: BSD-3-Clause
//
// A tree in which a member's place, counted from the root and written in base 4, says where it
// stands: its parent's place has 0 for its lowest digit that is not 0, and its children's have one
// of the zeros below that digit replaced.
//
//   up    each member tells its parent that it and all members below it have begun
//   down  each member, when it has the data, puts it into its children's dest, those with the
//         largest trees first
//
// COST: ceil(log4 p) (2 a + 3 (a + n b)), at most; p-1 messages up, p-1 down, n (p-1) b by all PEs.
// Restriction: a team with links.
#include <cstdint>

#include "collectives/broadcast/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {
namespace {

constexpr int kDigitBits = 2;
constexpr int kRadix = 1 << kDigitBits;
constexpr int kFromParent = kLinkRounds - 1;  // round of the link
static_assert(kLinkKinds == kRadix - 1);      // a kind for each value of a digit
static_assert(kLinkRounds > 32 / kDigitBits);

// Where a member tells its parent that it has begun; nobody else has that gate.
struct Begun {
    LinkKind kind;
    int round;
};
Begun begun(int place, int digit) {
    const int value = place >> (digit * kDigitBits) & (kRadix - 1);
    return {.kind = static_cast<LinkKind>(value - 1), .round = digit};
}

// The number of zeros at the end of `place`: its children have one more digit among these.
int digits_below(int place, int npes) {
    int digits = 0;
    while ((std::int64_t{1} << (digits * kDigitBits)) < npes &&
           (place >> (digits * kDigitBits) & (kRadix - 1)) == 0) {
        ++digits;
    }
    return digits;
}

// Calls visit(child, digit), the largest trees first.
template <class Visit>
void for_each_child(int place, int digits, int npes, Visit visit) {
    for (int digit = digits - 1; digit >= 0; --digit) {
        for (std::int64_t value = 1; value < kRadix; ++value) {
            const std::int64_t child = place + (value << (digit * kDigitBits));
            if (child < npes) visit(static_cast<int>(child), digit);
        }
    }
}

}  // namespace

void broadcast_knomial(const Group& group, void* dest, const void* source, std::size_t bytes,
                       int root, RootDest root_dest) {
    if (bytes == 0) return;
    const Places places(group, root);
    const Links links(group.team(), group.where());
    const int place = places.mine();
    const int digits = digits_below(place, group.npes());
    for_each_child(place, digits, group.npes(), [&](int child, int digit) {
        const Begun gate = begun(child, digit);
        links.wait(gate.kind, gate.round);
    });
    if (!places.is_root()) {
        const Begun gate = begun(place, digits);
        const int parent = place & ~((kRadix - 1) << (digits * kDigitBits));
        links.post(gate.kind, gate.round, places.index_of(parent));
        links.wait(LinkKind::kDone, kFromParent);
    }
    const void* data = places.is_root() ? source : dest;
    for_each_child(place, digits, group.npes(), [&](int child, int) {
        const int index = places.index_of(child);
        collective_context.put(dest, data, bytes, group.world_pe(index), group.where());
        links.post(LinkKind::kDone, kFromParent, index);
    });
    if (places.is_root()) copy_at_root(group, dest, source, bytes, root_dest);
}

}  // namespace tessera::collectives
