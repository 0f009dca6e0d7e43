// SPDX-License-Identifier: BSD-3-Clause
//
// Registration of the program's memory (memory/segments.hpp), collective over a team.
#pragma once

#include <cstddef>
#include <optional>

#include "memory/segments.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

// The names of a new segment, which all members may use when this returns; nullopt, on all members:
// no names are free on all. `pages_min`: bytes of pages that are worth sharing.
std::optional<std::size_t> register_segment(Team& team, SegmentPart mine, std::size_t pages_min,
                                            const char* where);

// Ends the segment whose names begin there. REQUIRES: it is one of the team's.
void deregister_segment(Team& team, std::size_t begin, const char* where);

}  // namespace tessera::collectives
