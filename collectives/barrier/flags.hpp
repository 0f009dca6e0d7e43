// SPDX-License-Identifier: BSD-3-Clause
//
// Telling a member of a team by one line of its flags, for barriers that look their partners up.
#pragma once

#include "core/context.hpp"
#include "core/team.hpp"

namespace tessera::collectives {

// Releases what this PE wrote before, and what it has acquired from others.
// COST: two lookups, then that of a gate.
inline void tell(const Team& team, int index, int line, std::uint32_t number) {
    const int pe = team.world_pe(index);
    const std::uint32_t slot = team.slot_of(index);
    if (TeamFlags* theirs = mapped_team_flags(pe, slot)) [[likely]] {
        return theirs->arrival[line].gate.post(number);
    }
    address_map.fabric->post_gate(team_flags(slot)->arrival[line].gate, number, pe);
}

}  // namespace tessera::collectives
