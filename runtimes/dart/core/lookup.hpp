// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the teams and segments that calls name. Each function says why it fails; then the
// routine returns bad_argument().
#pragma once

#include <dash/dart/if/dart_globmem.h>

#include "core/runtime.hpp"
#include "core/team.hpp"

namespace tessera::dart {

// RETURNS: DART_ERR_INVAL; DART_ERR_NOTINIT: DART does not run, so there are no teams.
inline dart_ret_t bad_argument() { return is_running() ? DART_ERR_INVAL : DART_ERR_NOTINIT; }

// RETURNS: DART_ERR_NOTINIT, after a message.
dart_ret_t fail_not_running(const char* routine);

namespace detail {
[[gnu::cold]] void fail_team(dart_team_t id, const char* routine);
[[gnu::cold]] void fail_segment(const dart_gptr_t& gptr, const char* routine);
}  // namespace detail

// RETURNS: the team; nullptr: there is none of that number on this unit.
inline Team* team_of_call(dart_team_t id, const char* routine) {
    Team* team = find_team(id);
    if (team == nullptr) [[unlikely]]
        detail::fail_team(id, routine);
    return team;
}

// Whether a pointer belongs to this segment, and not to one that had its number before. A program
// may have set the flags, or may have put the pointer together itself.
inline bool is_meant(const dart_gptr_t& gptr, const Segment& segment) {
    return gptr.flags == segment.generation || gptr.flags == 0 ||
           gptr.flags == (segment.flags & 0xFFU) || gptr.segid == DART_SEGMENT_LOCAL;
}

// RETURNS: the segment that the pointer belongs to; nullptr: none.
inline Segment* segment_of_call(const dart_gptr_t& gptr, const char* routine) {
    const Team* team = find_team(gptr.teamid);
    Segment* segment = team != nullptr ? team->segments.find(gptr.segid) : nullptr;
    if (segment == nullptr || !is_meant(gptr, *segment)) [[unlikely]] {
        detail::fail_segment(gptr, routine);
        return nullptr;
    }
    return segment;
}

}  // namespace tessera::dart
