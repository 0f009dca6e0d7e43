// SPDX-License-Identifier: BSD-3-Clause
//
// Making and ending teams. Collective, so it lives above core: it needs the parent's sync, or a
// meeting of the members.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "teams/team.hpp"

namespace tessera::collectives {

struct NewTeam {
    bool succeeded = false;      // the same on all PEs that took part
    std::unique_ptr<Team> team;  // empty on PEs that are no members, and on failure
};

// Makes a team of `world_pes`: any PEs of the parent in any order, this one among them, without
// repetition; or none, when this PE joins no team. Collective over `parent`. All PEs of a list give
// the same list, so one call may make several teams that share no PE.
// RETURNS when: the team may be used on this PE. COST: two syncs of the parent, O(members) memory
// during the call.
NewTeam create_team(Team& parent, std::span<const int> world_pes, const char* where);

// The PE joins a team with all PEs of the parent that name this color, by ascending key; PEs with
// equal keys stand by their numbers in the parent.
struct ColorKey {
    int color = 0;  // negative: none
    int key = 0;
};
// Collective over `parent`. RETURNS, COST: like create_team.
NewTeam split_team(Team& parent, ColorKey color_key, const char* where);

// The same as create_team, but collective over the PEs of the list only; the other PEs do nothing.
// REQUIRES: this PE is in `world_pes`, without repetition.
// COST: 2 lg members + 2 messages one behind the other, twice.
NewTeam create_team_of(std::span<const int> world_pes, const char* where);

// Gives the team's slot and its memory back. All members call it; it does not wait.
void destroy_team(std::unique_ptr<Team> team);

}  // namespace tessera::collectives
