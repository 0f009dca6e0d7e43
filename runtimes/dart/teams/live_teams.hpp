// SPDX-License-Identifier: BSD-3-Clause
//
// The start and the end of teams.
#pragma once

#include "core/team.hpp"

namespace tessera::dart {

// Makes a team out of one of OpenSHMEM. Collective over it. RETURNS: nullptr on all units: no team
// memory is left.
Team* make_team(dart_team_t id, shmem_team_t handle, const std::vector<int>& units);

// Makes the team of all units.
void start_teams();
// Ends a team, with the segments that it still has. Collective over the team.
void end_team(Team* team);
// Ends all teams, with the segments that they still have. Collective.
void end_teams();

}  // namespace tessera::dart
