// SPDX-License-Identifier: BSD-3-Clause
//
// The localities of all teams of this unit.

#pragma once

#include <dash/dart/if/dart_types.h>

namespace tessera::dart {

// Called by dart_init, collectively, when the team of all units exists.
void start_locality();
// Forgets the tree of a team that ends. A later team may have its number.
void end_locality(dart_team_t team);
// Called by dart_exit: forgets the trees of all teams.
void stop_locality();

}  // namespace tessera::dart
