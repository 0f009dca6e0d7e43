// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of teams, which all units of a team agree on. A number is free on all units of the
// parent, so two teams that have a unit in common never share one.
#pragma once

#include "core/team.hpp"

namespace tessera::dart {

inline constexpr int kNoTeamId = -1;

// Chooses a number for a new team. Collective over the parent. RETURNS: kNoTeamId on all units: all
// numbers are taken, or the parent has no collectives.
int choose_team_id(const Team& parent);

// The highest number that this unit's teams may have.
int last_team_id();

// Begins with 1 again. REQUIRES: no team is left.
void restart_team_ids();

}  // namespace tessera::dart
