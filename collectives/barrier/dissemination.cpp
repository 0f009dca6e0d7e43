// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination: in round r every member tells the one 2^r places further, and waits for the one
// 2^r places back; after ceil(log2 p) rounds each has heard, directly or not, of all. Flags carry
// the number of the sync instead of being reset: a member can be at most one sync ahead, and only
// raises flags.
// COST: ceil(log2 p) a. Any p. Reference: Hensgen, Finkel, Manber, "Two algorithms for barrier
// synchronization", 1988.
#include "collectives/barrier/barrier.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/flags.hpp"

namespace tessera::collectives {
namespace {

// The state of a round.
enum class Round : std::uint8_t {
    kNotPosted,
    kAsleep,  // posted, and the partner sleeps
    kPosted,  // posted, and the first checks of this member's gate have failed
};

// The rounds from `round` on. sync_dissemination calls this function last, so it need not save
// registers before it knows that it must wait; the saving would cost two PEs that share a core.
[[gnu::noinline]] void finish(Team& team, std::size_t round, Round state, const char* where) {
    const std::uint32_t number = team.syncs;
    for (; round < team.partners.size(); ++round, state = Round::kNotPosted) {
        const SyncPartner& partner = team.partners[round];
        if (state == Round::kAsleep) {
            partner.flags->arrival[round].gate.wake();
        } else if (state == Round::kNotPosted) {
            post_flag(partner, static_cast<int>(round), number);
        }
        Gate& mine = team.flags->arrival[round].gate;
        if (state == Round::kPosted || !mine.reaches_soon(number))
            mine.wait_for_slowly(number, where);
    }
}

void sync_dissemination(Team& team, const char* where) {
    const std::uint32_t number = ++team.syncs;
    std::size_t round = 0;
    for (const SyncPartner& partner : team.partners) {
        if (partner.flags == nullptr) [[unlikely]]
            return finish(team, round, Round::kNotPosted, where);
        // The post releases this member's writes and, from the second round on, the writes that it
        // has acquired from others.
        if (partner.flags->arrival[round].gate.post_only(number)) [[unlikely]]
            return finish(team, round, Round::kAsleep, where);
        if (!team.flags->arrival[round].gate.reaches_soon(number)) [[unlikely]]
            return finish(team, round, Round::kPosted, where);
        ++round;
    }
}

Cost barrier_dissemination_cost(const TeamLayout& team, double /*bytes*/) {
    return {.latencies = on_node_rounds(team),
            .off_node_latencies = off_node_rounds(team),
            .off_node_operations = team.largest_node * off_node_rounds(team)};
}

}  // namespace

extern constinit const Algorithm<Barrier> kBarrierDissemination{
    {.name = "dissemination",
     .formula = "lg p a",
     .best_when = "a core for each PE",
     .cost = barrier_dissemination_cost},
    sync_dissemination};

}  // namespace tessera::collectives
