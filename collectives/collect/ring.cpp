// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks go around a ring: in each step every member passes the block that it received last, at
// first its own, on to its right neighbour. All data moves between neighbours, so that between
// nodes one block leaves and one enters each node in a step, if members of a node follow each
// other. Where sizes differ they are exchanged first (contributions.hpp).
//
// A member ends when it has its right neighbour's block, which has gone around the whole ring: then
// all members have begun.
// COST: fcollect: p a + (p-1) n b; n p (p-1) b by all PEs. collect: ceil(lg p) a more; more than
// 1024 members use linear.cpp. Restriction: a team with mailboxes.
#include <cstdint>

#include "collectives/collect/collect.hpp"
#include "collectives/collect/contributions.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

constexpr int kFromLeft = kMailboxRounds - 1;  // round of the mailboxes

// Runs the steps; `pass_on(block, index)` puts one block into member index's dest.
template <class PassOn>
void go_round(const Group& group, const Mailboxes& mailboxes, PassOn pass_on) {
    const int npes = group.npes();
    const int right = (group.my_index() + 1) % npes;
    for (int step = 0; step + 1 < npes; ++step) {
        const auto number = static_cast<std::uint32_t>(step);
        pass_on((group.my_index() - step + npes) % npes, right);
        mailboxes.post(GateKind::kDone, kFromLeft, right, number);
        mailboxes.wait(GateKind::kDone, kFromLeft, number);
    }
}

void fcollect_ring(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const Mailboxes mailboxes(group.team(), group.where(), static_cast<std::uint32_t>(npes));
    const BlockArray blocks(group, dest, bytes);
    mailboxes.post(GateKind::kReady, 0, (group.my_index() - 1 + npes) % npes);
    blocks.fill_in(source);
    mailboxes.wait(GateKind::kReady, 0);
    go_round(group, mailboxes, [&](int block, int index) { blocks.pass_on(block, 1, index); });
}

void collect_ring(const Group& group, void* dest, const void* source, std::size_t bytes) {
    const int npes = group.npes();
    const Mailboxes mailboxes(group.team(), group.where(), static_cast<std::uint32_t>(npes));
    const Contributions blocks(group, mailboxes, dest, bytes);
    blocks.fill_in(source);
    go_round(group, mailboxes, [&](int block, int index) { blocks.pass_on(block, index); });
}

Cost fcollect_ring_cost(const TeamLayout& team, double n) {
    return Cost{.latencies = team.npes} + each_member(team, kForward * team.npes * n, 0) +
           off_node(team, 1.3 * (team.npes - 1) / team.largest_node, team.npes - 1,
                    (team.npes - 1) * n);
}

Cost collect_ring_cost(const TeamLayout& team, double n) {
    return fcollect_ring_cost(team, n) + Cost{.latencies = on_node_rounds(team)} +
           off_node(team, lg(team.npes), lg(team.npes), 0);
}

}  // namespace

extern constinit const Algorithm<Collect> kCollectRing{
    {.name = "ring",
     .formula = "(p + lg p) a + (p-1) n b",
     .best_when = "long contributions, several nodes",
     .restriction = {.mailboxes = true, .npes_max = Contributions::kMembersMax},
     .cost = collect_ring_cost},
    collect_ring};

extern constinit const Algorithm<Fcollect> kFcollectRing{
    {.name = "ring",
     .formula = "p a + (p-1) n b",
     .best_when = "long contributions, several nodes",
     .restriction = kMailboxesPutting,
     .cost = fcollect_ring_cost},
    {fcollect_ring, nullptr}};

}  // namespace tessera::collectives
