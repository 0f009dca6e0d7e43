// SPDX-License-Identifier: BSD-3-Clause
//
// A tree with k = 4 children: up it goes "all below me have come", down "all have come". Member i's
// parent is (i-1)/k. Line c of a member belongs to its child c, line k to its parent.
// COST: 2 ceil(log4 (3p+1)) - 2 messages on the longest path, 2 (p-1) of all members together:
// fewer than any dissemination, and a member sleeps and wakes at most five times. Any p.
// Reference: Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization", 1991.
#include "collectives/barrier/algorithms.hpp"
#include "collectives/barrier/flags.hpp"

namespace tessera::collectives {
namespace {

constexpr int kChildren = 4;
constexpr int kReleaseLine = kChildren;
static_assert(kReleaseLine < kSyncRoundsMax);

template <class Visit>
void for_each_child(const Team& team, Visit visit) {
    const std::int64_t first = std::int64_t{kChildren} * team.my_index + 1;
    for (int child = 0; child < kChildren && first + child < team.npes; ++child) {
        visit(static_cast<int>(first) + child, child);
    }
}

}  // namespace

void sync_tree(Team& team, const char* where) {
    const std::uint32_t number = ++team.syncs;
    TeamFlags& mine = team.my_flags();
    for_each_child(
        team, [&](int /*index*/, int child) { mine.arrival[child].gate.wait_for(number, where); });
    if (team.my_index > 0) {
        const int parent = (team.my_index - 1) / kChildren;
        tell(team, parent, (team.my_index - 1) % kChildren, number);
        mine.arrival[kReleaseLine].gate.wait_for(number, where);
    }
    for_each_child(team,
                   [&](int index, int /*child*/) { tell(team, index, kReleaseLine, number); });
}

}  // namespace tessera::collectives
