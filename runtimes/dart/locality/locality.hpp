// SPDX-License-Identifier: BSD-3-Clause
//
// The localities of all teams of this unit.

#pragma once

namespace tessera::dart {

// Called by dart_init, collectively, when the team of all units exists.
void start_locality();
// Called by dart_exit: forgets the trees of all teams.
void stop_locality();

}  // namespace tessera::dart
