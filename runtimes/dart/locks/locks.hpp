// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of teams: a mutex of <shmemx.h> in local memory of the team's unit 0, to which all units
// have a global pointer.

#pragma once

namespace tessera::dart {

// Called by dart_exit, behind a barrier of all units. Frees the mutexes of locks that the program
// still has; dart_team_lock_destroy may come later, even from destructors of static objects.
void stop_locks();

}  // namespace tessera::dart
