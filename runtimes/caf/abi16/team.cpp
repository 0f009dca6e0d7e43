// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 16 and later: teams, this_image and num_images. Against abi12/team.cpp: statements have stat=
// and errmsg=, new_index= and team_number= exist, team variables come by value, and get_team works.
// No compiler has exercised this file (docs/run/coarrays.md). The compiler is played by
// abi16_test.c and abi16_map_test.c in tests/behaviour/coarrays.

#include <cstdint>

#include "abi12/descriptor.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/team_control.hpp"

namespace tessera::caf {
namespace {

// Levels of get_team, in the order of the constants of iso_fortran_env.
enum TeamLevel : std::int32_t { kInitialTeam = 0, kParentTeam = 1, kCurrentTeam = 2 };

// The team of a value; NULL is the current team.
Team& team_of(caf_team_t value, const char* routine) {
    if (value == nullptr) return current_team();
    Team* team = find_team(value);
    if (team == nullptr)
        stop_with_error(routine, "the team variable has no team; execute form team first");
    return *team;
}

void report_status(int status, const ErrorTarget& target, const char* routine) {
    report(target, status, routine, "an image of the team has %s",
           status == kStoppedImage ? "stopped" : "failed");
}

}  // namespace

CAF_ENTRY int _gfortran_caf_this_image(caf_team_t team) {
    ensure_initialized();
    return team == nullptr ? this_image() : team_of(team, "this_image").this_image;
}

CAF_ENTRY int _gfortran_caf_num_images(caf_team_t team, std::int32_t* team_number) {
    ensure_initialized();
    if (team_number != nullptr) {
        const int images = images_of_number(*team_number);
        if (images == 0) {
            stop_with_error("num_images", "team_number %d is no sibling of the current team",
                            *team_number);
        }
        return images;
    }
    return team_of(team, "num_images").images;
}

CAF_ENTRY void _gfortran_caf_form_team(int number, caf_team_t* team, int* new_index, int* stat,
                                       char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    const ErrorTarget target{stat, errmsg, errmsg_bytes};
    const FormedTeam formed = form_team(number, new_index == nullptr ? 0 : *new_index, team);
    *team = token_of(formed.team);
    if (*formed.message != '\0') {
        report(target, formed.status, "form team", "number %d: %s", number, formed.message);
        return;
    }
    // With failed images the team is there, and stat= says so; without stat= that is no error.
    if (formed.status != kFailedImage || stat != nullptr)
        report_status(formed.status, target, "form team");
}

CAF_ENTRY void _gfortran_caf_change_team(caf_team_t team, int* stat, char* errmsg,
                                         std::size_t errmsg_bytes) {
    ensure_initialized();
    Team& next = team_of(team, "change team");
    if (next.parent != &current_team()) {
        stop_with_error("change team", "team %lld was formed in another team than the current one",
                        static_cast<long long>(next.number));
    }
    report_status(change_team(next), {stat, errmsg, errmsg_bytes}, "change team");
}

CAF_ENTRY void _gfortran_caf_end_team(int* stat, char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    if (current_team().is_initial())
        stop_with_error("end team", "the initial team is the current team");
    report_status(end_team(), {stat, errmsg, errmsg_bytes}, "end team");
}

CAF_ENTRY void _gfortran_caf_sync_team(caf_team_t team, int* stat, char* errmsg,
                                       std::size_t errmsg_bytes) {
    ensure_initialized();
    Team& wanted = team_of(team, "sync team");
    if (!is_related(wanted)) {
        stop_with_error("sync team", "team %lld is neither the current team nor around or in it",
                        static_cast<long long>(wanted.number));
    }
    report_status(sync_team(wanted), {stat, errmsg, errmsg_bytes}, "sync team");
}

CAF_ENTRY int _gfortran_caf_team_number(caf_team_t team) {
    ensure_initialized();
    return static_cast<int>(team_of(team, "team_number").number);
}

// NULL: the current team.
CAF_ENTRY caf_team_t _gfortran_caf_get_team(std::int32_t* level) {
    ensure_initialized();
    switch (level == nullptr ? std::int32_t{kCurrentTeam} : *level) {
        case kInitialTeam: return initial_team().token;
        case kParentTeam: return ancestor(1).token;
        case kCurrentTeam: return current_team().token;
        default:
            stop_with_error("get_team", "level %d; use initial_team, parent_team or current_team",
                            *level);
    }
}

}  // namespace tessera::caf
