// SPDX-License-Identifier: BSD-3-Clause
//
// Allreduce of short vectors by recursive doubling: in round r each member of the core
// (patterns/core.hpp) exchanges its partial result with the one 2^r places further, and both
// combine in the order of the members, so that all get the same bits and the order counts. Members
// outside the core give their vector to their right neighbours, and get the result from them. COST:
// lg p (a + n b + n c), and 2 a + 2 n b more unless p is a power of 2.
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/core.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/streams/binomial.hpp"
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

// The messages of a member of the core, in stages of `count` each.
struct Stages {
    explicit Stages(const RuntimeCall& call)
        : core(call.npes, call.me), pieces(vector_pieces(call)), count(pieces.count()) {}

    Core core;
    Pieces pieces;
    std::uint32_t count;

    std::uint32_t rounds() const { return static_cast<std::uint32_t>(core.rounds()); }
    // Receives before the first round: the own vector, and that of the neighbour.
    std::uint32_t stages_before() const { return core.has_neighbour() ? 2 : 1; }
};

std::uint32_t count_sends(const RuntimeCall& call) {
    const Stages stages(call);
    if (stages.core.is_outside()) return stages.count;
    return (stages.rounds() + (stages.core.has_neighbour() ? 1 : 0)) * stages.count;
}

std::uint32_t count_receives(const RuntimeCall& call) {
    const Stages stages(call);
    if (stages.core.is_outside()) return stages.count;
    return (stages.stages_before() + stages.rounds()) * stages.count;
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    const Stages stages(call);
    if (stages.core.is_outside()) return stages.pieces.send(call.me + 1, call.source, number);
    const std::uint32_t round = number / stages.count;
    const int to =
        round == stages.rounds() ? call.me - 1 : stages.core.partner_in(static_cast<int>(round));
    return stages.pieces.send(to, call.dest, number % stages.count,
                              (stages.stages_before() + round) * stages.count);
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    const Stages stages(call);
    const std::uint32_t piece = number % stages.count;
    if (stages.core.is_outside()) {
        // dest may be source.
        Message result = stages.pieces.receive(call.me + 1, call.dest, piece, Action::kCopy);
        result.needs = stages.count;
        return result;
    }
    const std::uint32_t stage = number / stages.count;
    if (stage == 0) return stages.pieces.own(call.source, call.dest, piece);
    if (stage < stages.stages_before())
        return stages.pieces.receive(call.me - 1, call.dest, piece, Action::kCombineBefore);
    const std::uint32_t round = stage - stages.stages_before();
    const int partner = stages.core.partner_in(static_cast<int>(round));
    Message message =
        stages.pieces.receive(partner, call.dest, piece,
                              partner < call.me ? Action::kCombineBefore : Action::kCombineBehind);
    // This member's own elements leave before they are combined. The first parts of an element are
    // only put together.
    if (message.is_last_part) message.needs = round * stages.count + piece + 1;
    return message;
}

}  // namespace

const Schedule kDoublingSchedule = {.name = "recursive_doubling",
                                    .count_sends = count_sends,
                                    .count_receives = count_receives,
                                    .send = send,
                                    .receive = receive};

namespace {

Cost stream_doubling_cost(const TeamLayout& team, double n) {
    const double rounds = exchange_rounds(team.npes);
    const double levels = off_node_rounds(team);
    return Cost{.latencies = on_node_rounds(team) + 2} +
           each_member(team, kStreamCall + kMailboxPush * n * rounds + 2 * n, n * rounds) +
           off_node(team, levels * stream_waits(team, n), team.largest_node * levels,
                    team.largest_node * n * levels);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceStreamDoubling{
    {.name = "stream_doubling",
     .formula = "lg p a + n lg p (b + c)",
     .best_when = "nonblocking calls of short vectors; any arrays",
     .restriction = kStreamsAssociative,
     .cost = stream_doubling_cost,
     .schedule = &kDoublingSchedule},
    nullptr};

}  // namespace tessera::collectives
