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

void sync_dissemination(Team& team, const char* where) {
    const std::uint32_t number = ++team.syncs;
    TeamFlags& mine = team.my_flags();
    int round = 0;
    for (const SyncPartner& partner : team.partners) {
        // post() releases what we wrote and, from the second round on, what we acquired.
        if (partner.flags != nullptr) [[likely]] {
            partner.flags->arrival[round].gate.post(number);
        } else {
            address_map.fabric->post_gate(partner.name->arrival[round].gate, number, partner.pe);
        }
        mine.arrival[round].gate.wait_for(number, where);
        ++round;
    }
}

}  // namespace tessera::collectives
