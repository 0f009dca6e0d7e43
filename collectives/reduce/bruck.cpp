// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck (Ravichandrasekaran 2015, 3.2.6): in round s member i of the 2^k sends its partial result
// to member i - 2^s, so all data moves one way and each member always has a run of neighbouring
// parts. Each member's run begins with its own part, so the order differs between members, and the
// operation must not depend on it.
// COST: T_BR = lg p a + n lg p b + n lg p c, and 2 more rounds unless p is a power of 2.
// Restrictions: a team with mailboxes, an operation whose result does not depend on the order.
// Reference: Bruck et al., "Efficient Algorithms for All-to-All Communications", 1997.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

void combine(const Reduction& call, Chunk& part, const void* other, std::size_t bytes) {
    call.kernel.combine(part, other, bytes / call.element_bytes());
}

void run_chunk(const Reduction& call, const Core& core, Chunk& part, std::size_t bytes) {
    const int me = call.group.my_index();
    const Mailboxes mailboxes(call.group.team(), call.group.where());
    if (core.is_outside()) {
        mailboxes.send(me + 1, Core::kFoldIn, part, bytes);
        std::memcpy(part, mailboxes.receive(Core::kFoldOut), bytes);
        return;
    }
    if (core.has_neighbour()) combine(call, part, mailboxes.receive(Core::kFoldIn), bytes);
    const int mask = core.size() - 1;
    for (int round = 0; round < core.rounds(); ++round) {
        const int to = core.index_of((core.core_index() - (1 << round)) & mask);
        mailboxes.send(to, round, part, bytes);
        combine(call, part, mailboxes.receive(round), bytes);
    }
    if (core.has_neighbour()) mailboxes.send(me - 1, Core::kFoldOut, part, bytes);
}

void reduce_bruck(const Reduction& call) {
    const Core core(call.group.team());
    alignas(kCacheLineBytes) Chunk part;
    for_each_chunk(0, call.bytes(), [&](std::size_t at, std::size_t bytes) {
        std::memcpy(part, call.source + at, bytes);
        run_chunk(call, core, part, bytes);
        std::memcpy(call.dest + at, part, bytes);
    });
}

Cost reduce_bruck_cost(const TeamLayout& team, double n) {
    const double rounds = exchange_rounds(team.npes);
    return Cost{.latencies = chunks(n) * (on_node_rounds(team) + fold_rounds(team.npes))} +
           each_member(team, kMailboxPush * n * rounds + 2 * n, n * rounds) +
           off_node(team, chunks(n) * lg(team.npes), team.largest_node * chunks(n) * lg(team.npes),
                    team.largest_node * n * lg(team.npes));
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceBruck{
    {.name = "bruck",
     .formula = "lg p a + n lg p b + n lg p c",
     .best_when = "as recursive_doubling, one-way traffic",
     .restriction = {.symmetric = Symmetric::kNothing,
                     .mailboxes = true,
                     .any_order = true,
                     .in_order = false},
     .cost = reduce_bruck_cost},
    reduce_bruck};

}  // namespace tessera::collectives
