// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a team learn from each other by a collective: the checker adds a collective of its
// own behind that of the program, which carries the clocks.
//
// THREADS: as the program's collectives; the clocks are copies, so no mutex is held meanwhile.
#pragma once

#include "tools/check/race/clocks.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::check::race {

// The team that makes the call; for an active set, a team of the checker's own.
// SHMEM_TEAM_INVALID: there is none.
shmem_team_t team_of(const interpose::Call& call);

// Returns the join of all members' clocks. Collective.
Clock join_of(shmem_team_t team, const Clock& mine);

// Returns the root's clock. Collective.
Clock take_from(shmem_team_t team, const Clock& mine, int root);

// Forgets the teams of active sets; finalization destroys them.
void end_exchange();

}  // namespace tessera::check::race
