// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling: in round s each member exchanges the 2^s blocks that it has with member
// me xor 2^s. The runs are put straight to where they belong in dest.
// COST: lg p a + (p-1) n b; that a member is ready is told in advance. n p (p-1) b by all PEs.
// Restriction: a team with links, of 2^k members.
#include "collectives/collect/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void fcollect_recursive_doubling(const Group& group, void* dest, const void* source,
                                 std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int me = group.my_index();
    const Links links(group.team(), group.where());
    const BlockArray blocks(group, dest, bytes);
    int round = 0;
    for (int have = 1; have < npes; have *= 2) links.post(LinkKind::kReady, round++, me ^ have);
    blocks.fill_in(source);
    round = 0;
    for (int have = 1; have < npes; have *= 2, ++round) {
        const int partner = me ^ have;
        links.wait(LinkKind::kReady, round);
        blocks.pass_on(me & ~(have - 1), have, partner);
        links.post(LinkKind::kDone, round, partner);
        links.wait(LinkKind::kDone, round);
    }
}

}  // namespace tessera::collectives
