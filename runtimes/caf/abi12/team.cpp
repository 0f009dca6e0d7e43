// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 8 to 15: teams, this_image and num_images. A variable of team_type holds the token of a
// Team. The compiler has neither stat= nor errmsg= for these statements.

#include "core/team.hpp"
#include "abi12/descriptor.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/team_control.hpp"

namespace tessera::caf {
namespace {

// The team of a variable. ERRORS: a variable that form team has not defined ends the program.
Team& team_of(caf_team_t team, const char* routine) {
    Team* found = find_team(team);
    if (found == nullptr)
        stop_with_error(routine, "the team variable has no team; execute form team first");
    return *found;
}

void check(int status, const char* routine) {
    report({}, status, routine, "an image of the team has %s",
           status == kStoppedImage ? "stopped" : "failed");
}

}  // namespace

CAF_ENTRY int _gfortran_caf_this_image(int distance) {
    ensure_initialized();
    return distance == 0 ? this_image() : ancestor(distance).this_image;
}

// failed: -1 all images, 0 those that have not failed, 1 those that have.
CAF_ENTRY int _gfortran_caf_num_images(int distance, int failed) {
    ensure_initialized();
    const Team& team = distance == 0 ? current_team() : ancestor(distance);
    if (failed < 0) return team.images;
    const int failures = count_failed(team);
    return failed == 0 ? team.images - failures : failures;
}

CAF_ENTRY void _gfortran_caf_form_team(int number, caf_team_t* team, int) {
    ensure_initialized();
    const FormedTeam formed = form_team(number, 0, team);
    if (formed.team == nullptr && formed.status != kStoppedImage)
        stop_with_error("form team", "number %d: %s", number, formed.message);
    *team = token_of(formed.team);
    check(formed.status == kFailedImage ? kOk : formed.status, "form team");
}

CAF_ENTRY void _gfortran_caf_change_team(caf_team_t* team, int) {
    ensure_initialized();
    Team& next = team_of(*team, "change team");
    if (next.parent != &current_team()) {
        stop_with_error("change team", "team %lld was formed in another team than the current one",
                        static_cast<long long>(next.number));
    }
    check(change_team(next), "change team");
}

CAF_ENTRY void _gfortran_caf_end_team(caf_team_t*) {
    ensure_initialized();
    if (current_team().is_initial())
        stop_with_error("end team", "the initial team is the current team");
    check(end_team(), "end team");
}

CAF_ENTRY void _gfortran_caf_sync_team(caf_team_t* team, int) {
    ensure_initialized();
    Team& wanted = team_of(*team, "sync team");
    if (!is_related(wanted)) {
        stop_with_error("sync team", "team %lld is neither the current team nor around or in it",
                        static_cast<long long>(wanted.number));
    }
    check(sync_team(wanted), "sync team");
}

CAF_ENTRY int _gfortran_caf_team_number(caf_team_t team) {
    ensure_initialized();
    const Team& wanted = team == nullptr ? current_team() : team_of(team, "team_number");
    return static_cast<int>(wanted.number);
}

}  // namespace tessera::caf
