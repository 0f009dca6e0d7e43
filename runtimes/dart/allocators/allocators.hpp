// SPDX-License-Identifier: BSD-3-Clause
//
// Allocators: each unit divides its part of an allocation of a team.
#pragma once

namespace tessera::dart {

// Called by dart_exit: ends the allocators that the program still has.
void stop_allocators();

}  // namespace tessera::dart
