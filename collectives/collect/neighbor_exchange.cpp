// SPDX-License-Identifier: BSD-3-Clause
//
// Neighbour exchange: members 2q and 2q+1 are pair q. First they exchange their blocks. From then
// on each member exchanges in turn with its neighbour of the other pair and with its partner, and
// sends the two blocks that it received last. So there are half as many steps as in a ring. As in a
// ring all data moves between neighbours, but both ways.
//
//   step   even members get pair   odd members get pair
//     1            q - 1                   q + 1           from the next pair
//     2            q + 1                   q - 1           from their own partner
//     3            q - 2                   q + 2           from the next pair, and so on
//
// COST: (1 + p/2) a + (p-1) n b; n p (p-1) b by all PEs. Restriction: a team with mailboxes, of
// an even number of members. Reference: Chen et al., "Performance evaluation of allgather
// algorithms on terascale Linux cluster with fast Ethernet", 2005.
#include <cstdint>

#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

void fcollect_neighbor_exchange(const Group& group, void* dest, const void* source,
                                std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int pairs = npes / 2;
    const int me = group.my_index();
    const bool is_even = me % 2 == 0;
    const int partner = me ^ 1;
    const int beyond = is_even ? (me - 1 + npes) % npes : (me + 1) % npes;
    const auto neighbour_in = [&](int step) { return step % 2 == 0 ? partner : beyond; };
    const Mailboxes mailboxes(group.team(), group.where(), static_cast<std::uint32_t>(pairs));
    const BlockArray blocks(group, dest, bytes);
    // Each neighbour has its round of the mailboxes: the partner 0, the other neighbour 1.
    mailboxes.post(GateKind::kReady, 0, partner);
    if (pairs > 1) mailboxes.post(GateKind::kReady, 1, beyond);
    blocks.fill_in(source);
    // The pair of blocks that this member has got in a step.
    const auto got_in = [&](int step) {
        const int distance = (step + 1) / 2;
        const bool is_leftward = is_even == (step % 2 == 1);
        return (me / 2 + (is_leftward ? pairs - distance : distance)) % pairs;
    };
    for (int step = 0; step < pairs; ++step) {
        const int neighbour = neighbour_in(step);
        const auto number = static_cast<std::uint32_t>(step);
        if (step < 2) mailboxes.wait(GateKind::kReady, step);
        if (step == 0) {
            blocks.pass_on(me, 1, neighbour);
        } else {
            blocks.pass_on(2 * got_in(step - 1), 2, neighbour);
        }
        mailboxes.post(GateKind::kDone, step % 2, neighbour, number);
        mailboxes.wait(GateKind::kDone, step % 2, number);
    }
}

Cost collect_neighbor_exchange_cost(const TeamLayout& team, double n) {
    const double off_node_levels =
        team.largest_node > 1 ? team.npes / 4 : team.npes / 2;  // Every other step.
    return Cost{.latencies = team.npes / 2 + 1 - (team.spans_nodes() ? off_node_levels : 0)} +
           each_member(team, kForward * team.npes * n, 0) +
           off_node(team, 1.1 * off_node_levels, team.npes / 2, team.npes * n);
}

}  // namespace

extern constinit const Algorithm<Fcollect> kFcollectNeighborExchange{
    {.name = "neighbor_exchange",
     .formula = "(1 + p/2) a + (p-1) n b",
     .best_when = "between bruck and ring",
     .restriction = {.symmetric = Symmetric::kDest, .mailboxes = true, .even = true},
     .cost = collect_neighbor_exchange_cost},
    {fcollect_neighbor_exchange, nullptr}};

}  // namespace tessera::collectives
