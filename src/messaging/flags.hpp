// SPDX-License-Identifier: BSD-3-Clause
//
// The flags of a team's members (teams/team.hpp), for barriers.
#pragma once

#include "core/context.hpp"
#include "teams/team.hpp"

namespace tessera {

// Posts line `line` of member `index`. Releases this PE's earlier writes, and the writes that it
// has acquired from others. COST: two lookups, then that of a gate.
inline void post_flag(const Team& team, int index, int line, std::uint32_t number) {
    const int pe = team.world_pe(index);
    if (TeamFlags* theirs = mapped_team_flags(pe, team.slot)) [[likely]]
        return theirs->arrival[line].gate.post(number);
    address_map.fabric->post_gate(team_flags(team.slot)->arrival[line].gate, number, pe);
}

// The same for a partner that was looked up when the team was made. COST: that of a gate.
inline void post_flag(const SyncPartner& partner, int line, std::uint32_t number) {
    if (partner.flags != nullptr) [[likely]]
        return partner.flags->arrival[line].gate.post(number);
    address_map.fabric->post_gate(partner.name->arrival[line].gate, number, partner.pe);
}

// The meeting point of member `index`. REQUIRES: the member is on this node.
inline CentralSync& central_of(const Team& team, int index) {
    return mapped_team_flags(team.world_pe(index), team.slot)->central;
}

}  // namespace tessera
