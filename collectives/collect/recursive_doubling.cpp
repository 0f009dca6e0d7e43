// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling: in round s each member exchanges the 2^s blocks that it has with member
// me xor 2^s. The runs are put directly to their places in dest.
// COST: lg p a + (p-1) n b; members announce in advance that they are ready. n p (p-1) b by all
// PEs. Restriction: a team with mailboxes, of 2^k members.
#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void fcollect_recursive_doubling(const Group& group, void* dest, const void* source,
                                 std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int me = group.my_index();
    const Mailboxes mailboxes(group.team(), group.where());
    const BlockArray blocks(group, dest, bytes);
    int round = 0;
    for (int have = 1; have < npes; have *= 2) mailboxes.post(GateKind::kReady, round++, me ^ have);
    blocks.fill_in(source);
    round = 0;
    for (int have = 1; have < npes; have *= 2, ++round) {
        const int partner = me ^ have;
        mailboxes.wait(GateKind::kReady, round);
        blocks.pass_on(me & ~(have - 1), have, partner);
        mailboxes.post(GateKind::kDone, round, partner);
        mailboxes.wait(GateKind::kDone, round);
    }
}

Cost collect_recursive_doubling_cost(const TeamLayout& team, double n) {
    return Cost{.latencies = on_node_rounds(team) + 1} +
           each_member(team, kForward * team.npes * n, 0) +
           off_node(team, 1.1 * off_node_rounds(team), team.largest_node * off_node_rounds(team),
                    team.largest_node * team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Fcollect> kFcollectRecursiveDoubling{
    {.name = "recursive_doubling",
     .formula = "lg p a + (p-1) n b",
     .best_when = "short contributions, 2^k PEs",
     .restriction = {.symmetric = Symmetric::kDest, .mailboxes = true, .power_of_two = true},
     .cost = collect_recursive_doubling_cost},
    {fcollect_recursive_doubling, nullptr}};

}  // namespace tessera::collectives
