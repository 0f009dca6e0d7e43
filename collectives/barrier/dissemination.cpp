// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination: in round r every member tells the one 2^r places further, and waits for the one
// 2^r places back; after ceil(log2 p) rounds each has heard, directly or not, of all. Flags carry
// the number of the sync instead of being reset: a member can be at most one sync ahead, and only
// raises flags.
// COST: ceil(log2 p) a. Any p. Reference: Hensgen, Finkel, Manber, "Two algorithms for barrier
// synchronization", 1988.
#include "collectives/barrier/algorithms.hpp"

#include "core/context.hpp"

namespace tessera::collectives {
namespace {

// How far a round is.
enum class Round : std::uint8_t {
    kNotPosted,
    kAsleep,  // posted, and the partner sleeps
    kPosted,  // and the first checks of our own gate have failed
};

// The rounds from `round` on. For sync_dissemination, which calls it last: so it need not save
// registers before it knows that it must wait, which two PEs would notice that share a core.
[[gnu::noinline]] void finish(Team& team, std::size_t round, Round state, const char* where) {
    const std::uint32_t number = team.syncs;
    for (; round < team.partners.size(); ++round, state = Round::kNotPosted) {
        const SyncPartner& partner = team.partners[round];
        if (state == Round::kAsleep) {
            partner.flags->arrival[round].gate.wake();
        } else if (state == Round::kNotPosted && partner.flags != nullptr) {
            partner.flags->arrival[round].gate.post(number);
        } else if (state == Round::kNotPosted) {
            address_map.fabric->post_gate(partner.name->arrival[round].gate, number, partner.pe);
        }
        Gate& mine = team.flags->arrival[round].gate;
        if (state == Round::kPosted || !mine.reaches_soon(number)) {
            mine.wait_for_slowly(number, where);
        }
    }
}

}  // namespace

void sync_dissemination(Team& team, const char* where) {
    const std::uint32_t number = ++team.syncs;
    std::size_t round = 0;
    for (const SyncPartner& partner : team.partners) {
        if (partner.flags == nullptr) [[unlikely]]
            return finish(team, round, Round::kNotPosted, where);
        // It releases what we wrote and, from the second round on, what we acquired.
        if (partner.flags->arrival[round].gate.post_only(number)) [[unlikely]]
            return finish(team, round, Round::kAsleep, where);
        if (!team.flags->arrival[round].gate.reaches_soon(number)) [[unlikely]]
            return finish(team, round, Round::kPosted, where);
        ++round;
    }
}

}  // namespace tessera::collectives
