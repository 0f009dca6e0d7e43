// SPDX-License-Identifier: BSD-3-Clause
//
// Making and ending teams. Collective, so it lives above core: it needs the parent's sync.
#pragma once

#include <memory>
#include <span>

#include "core/team.hpp"

namespace tessera::collectives {

struct NewTeam {
    bool succeeded = false;      // the same on all PEs of the parent
    std::unique_ptr<Team> team;  // empty on PEs that are no members, and on failure
};

// Makes a team of `world_pes`: any PEs of the parent in any order, this one among them, without
// repetition; or none, when this PE joins no team. Collective over `parent`. All PEs of a list give
// the same list, so one call may make several teams that share no PE.
// RETURNS when: the team may be used on this PE. COST: two syncs of the parent, O(members) memory.
NewTeam create_team(Team& parent, std::span<const int> world_pes, const char* where);

// Gives the team's slot back. All members call it; it does not wait.
void destroy_team(std::unique_ptr<Team> team);

}  // namespace tessera::collectives
