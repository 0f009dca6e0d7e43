// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck: in round s everybody gets the run of blocks that the member 2^s further has, which begins
// with that member's own and is 2^s long. The runs are put straight to where they belong in dest,
// in two pieces where they go beyond its end; so there is no rotation at the end, and no buffer.
// COST: ceil(lg p) a + (p-1) n b; that a member is ready is told in advance. n p (p-1) b by all
// PEs. Restriction: a team with links. Reference: Bruck et al., "Efficient Algorithms for
// All-to-All Communications in Multiport Message-Passing Systems", 1997.
#include <algorithm>

#include "collectives/collect/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void fcollect_bruck(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int me = group.my_index();
    const Links links(group.team(), group.where());
    const BlockArray blocks(group, dest, bytes);
    int round = 0;
    for (int have = 1; have < npes; have *= 2) {
        links.post(LinkKind::kReady, round++, (me + have) % npes);
    }
    blocks.fill_in(source);
    round = 0;
    for (int have = 1; have < npes; have *= 2, ++round) {
        const int to = (me - have + npes) % npes;
        links.wait(LinkKind::kReady, round);
        blocks.pass_on(me, std::min(have, npes - have), to);
        links.post(LinkKind::kDone, round, to);
        links.wait(LinkKind::kDone, round);
    }
}

}  // namespace tessera::collectives
