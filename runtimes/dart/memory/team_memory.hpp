// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of teams: allocated (dart_team_memalloc_aligned), registered (dart_team_memregister).
#pragma once

#include "core/team.hpp"

namespace tessera::dart {

// Ends the segments that a team still has. Collective over the team of all units; other teams are
// about to be destroyed, which ends theirs.
void end_segments(Team& team);

}  // namespace tessera::dart
