// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck: in round s each member receives the run of blocks of the member 2^s further. The run
// begins with that member's own block and is 2^s long. The runs are put directly to their places in
// dest, in two pieces where they go beyond its end; so there is no rotation at the end, and no
// buffer.
// COST: ceil(lg p) a + (p-1) n b; members announce in advance that they are ready. n p (p-1) b by
// all PEs. Restriction: a team with mailboxes. Reference: Bruck et al., "Efficient Algorithms for
// All-to-All Communications in Multiport Message-Passing Systems", 1997.
#include <algorithm>

#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void fcollect_bruck(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int me = group.my_index();
    const Mailboxes mailboxes(group.team(), group.where());
    const BlockArray blocks(group, dest, bytes);
    int round = 0;
    for (int have = 1; have < npes; have *= 2)
        mailboxes.post(GateKind::kReady, round++, (me + have) % npes);
    blocks.fill_in(source);
    round = 0;
    for (int have = 1; have < npes; have *= 2, ++round) {
        const int to = (me - have + npes) % npes;
        mailboxes.wait(GateKind::kReady, round);
        blocks.pass_on(me, std::min(have, npes - have), to);
        mailboxes.post(GateKind::kDone, round, to);
        mailboxes.wait(GateKind::kDone, round);
    }
}

Cost collect_bruck_cost(const TeamLayout& team, double n) {
    return Cost{.latencies = on_node_rounds(team) + 1} +
           each_member(team, kForward * team.npes * n, 0) +
           off_node(team, lg(team.npes), team.largest_node * lg(team.npes),
                    team.largest_node * team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Fcollect> kFcollectBruck{{.name = "bruck",
                                                           .formula = "lg p a + (p-1) n b",
                                                           .best_when = "short contributions",
                                                           .restriction = kMailboxesPutting,
                                                           .cost = collect_bruck_cost},
                                                          {fcollect_bruck, nullptr}};

}  // namespace tessera::collectives
