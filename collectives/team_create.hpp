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

// Member i is PE start + i * stride of the parent. REQUIRES: size > 0, all are PEs of the parent,
// and stride != 0 unless size is 1.
struct StridedMembers {
    int start = 0;
    int stride = 1;
    int size = 1;
};
// Makes a team of these PEs; a PE that is none of them joins no team. Collective over `parent`. All
// members of a team name it alike, so one call may make several teams that share no PE.
// RETURNS when: the team may be used on this PE. COST: that of create_team_of, with the PEs of the
// parent; O(members) memory during the call, but not while it waits, and none for a regular parent
// over again.
NewTeam create_team(Team& parent, const StridedMembers& members, const char* where);

// The PE joins a team with all PEs of the parent that name this color, by ascending key; PEs with
// equal keys stand by their numbers in the parent.
struct ColorKey {
    int color = 0;  // negative: none
    int key = 0;
};
// Collective over `parent`. RETURNS when: like create_team. COST: each PE shows a line to all PEs
// of the parent (shown_lines.hpp). The PE has memory for a line of each of them during the call.
NewTeam split_team(Team& parent, ColorKey color_key, const char* where);

// The same as create_team, but collective over the PEs of the list only; the other PEs do nothing.
// REQUIRES: this PE is in `world_pes`, without repetition.
// COST: 2 lg members + 2 messages one behind the other, twice.
NewTeam create_team_of(std::span<const int> world_pes, const char* where);

// Gives the team's slot and its memory back. All members call it; it does not wait.
void destroy_team(std::unique_ptr<Team> team);

}  // namespace tessera::collectives
