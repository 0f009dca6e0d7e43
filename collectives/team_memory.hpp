// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation of team memory (heap/team_memory.hpp), collective over a team and nothing else.
#pragma once

#include <cstddef>
#include <optional>

#include "teams/team.hpp"

namespace tessera::collectives {

// The offset of a new block in the ranges of all members, the lowest one that is free on all;
// nullopt: no place is. The same on all members. Different arguments end the job.
// REQUIRES: bytes > 0, and alignment is a power of two up to kHugePageBytes.
// COST: that of shown_lines.hpp; more rounds of it while the lowest free extents of the members
// have no place in common, or while a thread of a member allocates for another team and no other
// place is left.
std::optional<std::size_t> allocate_team_memory(Team& team, std::size_t bytes,
                                                std::size_t alignment, const char* where);

}  // namespace tessera::collectives
