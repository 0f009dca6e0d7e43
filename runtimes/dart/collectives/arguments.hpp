// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the arguments that collectives have in common. Each prints why it fails.

#pragma once

#include <dash/dart/if/dart_types.h>

#include <cstddef>

#include "core/team.hpp"

namespace tessera::dart {

// RETURNS: the team; nullptr: there is none of that number.
const Team* team_of_call(dart_team_t id, const char* routine);

// RETURNS: bytes of an element; 0: the type is not contiguous.
std::size_t element_bytes(dart_datatype_t type, const char* routine);

bool is_root(const Team& team, dart_team_unit_t root, const char* routine);

// Translates the result of a routine of <shmemx.h>.
dart_ret_t result_of(int status, const char* routine);

}  // namespace tessera::dart
