// SPDX-License-Identifier: BSD-3-Clause
#include "core/lookup.hpp"

#include "core/log.hpp"

namespace tessera::dart {

dart_ret_t fail_not_running(const char* routine) {
    return fail(DART_ERR_NOTINIT, routine, "DART does not run; call dart_init first");
}

void detail::fail_team(dart_team_t id, const char* routine) {
    if (dart::is_running()) {
        fail(DART_ERR_INVAL, routine,
             "there is no team %d on this unit; has dart_team_create given it?", id);
    } else {
        fail_not_running(routine);
    }
}

void detail::fail_segment(const dart_gptr_t& gptr, const char* routine) {
    const Team* team = team_of_call(gptr.teamid, routine);
    if (team == nullptr) return;
    if (team->segments.find(gptr.segid) == nullptr) {
        fail(DART_ERR_INVAL, routine, "team %d has no segment %d on this unit", gptr.teamid,
             gptr.segid);
    } else {
        fail(DART_ERR_INVAL, routine,
             "the pointer belongs to an allocation that has ended; segment %d of team %d is "
             "another one now",
             gptr.segid, gptr.teamid);
    }
}

}  // namespace tessera::dart
