// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination: in round r each member tells the one 2^r places further that it, and all members
// that it has heard of, have begun.
// COST: ceil(lg p) messages.
#include <bit>

#include "collectives/barrier/barrier.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

std::uint32_t rounds(const RuntimeCall& call) {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(call.npes - 1)));
}

Message send(const RuntimeCall& call, std::uint32_t round) {
    return {.peer = (call.me + (1 << round)) % call.npes, .needs = round};
}

Message receive(const RuntimeCall& call, std::uint32_t round) {
    return {.peer = (call.me - (1 << round) + call.npes) % call.npes};
}

}  // namespace

const Schedule kBarrierSchedule = {.name = "dissemination",
                                   .count_sends = rounds,
                                   .count_receives = rounds,
                                   .send = send,
                                   .receive = receive};

namespace {

Cost stream_barrier_cost(const TeamLayout& team, double /*bytes*/) {
    return Cost{.latencies = on_node_rounds(team)} +
           off_node(team, off_node_rounds(team), team.largest_node * off_node_rounds(team), 0);
}

}  // namespace

extern constinit const Algorithm<Barrier> kBarrierStream{
    {.name = "stream",
     .formula = "lg p a",
     .best_when = "nonblocking barriers",
     .restriction = {.symmetric = Symmetric::kNothing,
                     .mailboxes = true,
                     .streams = true,
                     .nonblocking = true},
     .cost = stream_barrier_cost,
     .schedule = &kBarrierSchedule},
    nullptr};

}  // namespace tessera::collectives
