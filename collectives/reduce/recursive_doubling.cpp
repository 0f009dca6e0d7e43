// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive doubling (Ravichandrasekaran 2015, 3.2.5): in round s each member combines its partial
// result with that of member me xor 2^s, so that after lg p rounds all have the result. Two forms:
//
//   short    both send their part to the other's slot, and both combine: the data comes with the
//            gate
//   long     "left computes": the lower member combines both arrays in place and writes the
//            result to both; no slots, no copies
//
// COST: T_RD = lg p a + n lg p b + n lg p c, and 2 more rounds unless p is a power of 2. Any
// operation; all members compute the same bits. Restriction: a team with mailboxes.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/patterns/doubling.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

// The lower one of two members computes for both.
void lower_computes(const Reduction& call, const Mailboxes& mailboxes, int round, int partner) {
    if (call.group.my_index() > partner) {
        mailboxes.post(GateKind::kReady, round, partner);
        return mailboxes.wait(GateKind::kDone, round);
    }
    mailboxes.wait(GateKind::kReady, round);
    combine_with(call, partner, 0, call.bytes());
    call.put(partner, call.dest, call.dest, call.bytes());
    mailboxes.post(GateKind::kDone, round, partner);
}

void double_long(const Reduction& call, const Core& core) {
    reduce_folded(call, core, [&](const Mailboxes& mailboxes) {
        for (int round = 0; round < core.rounds(); ++round)
            lower_computes(call, mailboxes, round, core.partner_in(round));
    });
}

void reduce_recursive_doubling(const Reduction& call) {
    const Core core(call.group.team());
    if (call.bytes() > kChunkBytes) return double_long(call, core);
    alignas(kCacheLineBytes) Chunk part;
    std::memcpy(part, call.source, call.bytes());
    const Mailboxes mailboxes(call.group.team(), call.group.where());
    double_part(
        mailboxes, core, call.group.my_index(), [](int member) { return member; }, call.kernel,
        part, call.nelems);
    std::memcpy(call.dest, part, call.bytes());
}

Cost reduce_recursive_doubling_cost(const TeamLayout& team, double n) {
    const double rounds = exchange_rounds(team.npes);
    // Partners less than m apart are on the same node only where m is a power of two.
    const double on_node = !team.spans_nodes()                  ? rounds
                           : is_power_of_two(team.largest_node) ? lg(team.largest_node)
                                                                : 0;
    const double off_node_levels = rounds - on_node;
    if (n <= static_cast<double>(kChunkBytes)) {
        return Cost{.latencies = on_node} +
               each_member(team, kMailboxPush * n * rounds + 2 * n, n * rounds) +
               off_node(team, off_node_levels, team.largest_node * off_node_levels,
                        team.largest_node * n * off_node_levels);
    }
    // "Left computes": half of the members work.
    return Cost{.latencies = 2 * on_node,
                .copied_critical_path = n * rounds,
                .copied_total = team.largest_node / 2 * n * rounds,
                .combined_critical_path = n * rounds,
                .combined_total = team.largest_node / 2 * n * rounds} +
           off_node(team, (2 + 2 * chunks(n)) * off_node_levels, 0,
                    team.largest_node * n * off_node_levels);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceRecursiveDoubling{
    {.name = "recursive_doubling",
     .formula = "lg p a + n lg p b + n lg p c",
     .best_when = "short vectors",
     .restriction = kMailboxesAssociative,
     .cost = reduce_recursive_doubling_cost},
    reduce_recursive_doubling};

}  // namespace tessera::collectives
