// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: prif_form_team and the others. The value of a prif_team_type is the token of a team of the
// core, which lives until the end of the program.

#include "core/team_control.hpp"
#include "procedures/entry.hpp"

namespace tessera::prif {

PRIF_ENTRY int tessera_prif_form_team(std::int64_t number, int new_index, void** team, int* stat) {
    constexpr const char* kRoutine = "prif_form_team";
    check_running(kRoutine);
    const caf::FormedTeam formed = caf::form_team(number, new_index, nullptr);
    *team = token_of(formed.team);
    if (*formed.message != '\0') {
        return fail(stat, formed.status, kRoutine, "team_number %lld, new_index %d: %s",
                    static_cast<long long>(number), new_index, formed.message);
    }
    return end_with_status(stat, formed.status, kRoutine);
}

PRIF_ENTRY int tessera_prif_change_team(const void* team, int* stat) {
    constexpr const char* kRoutine = "prif_change_team";
    check_running(kRoutine);
    caf::Team& next = team_of(team, kRoutine);
    if (next.parent != &caf::current_team()) {
        return fail(stat, caf::kMisuse, kRoutine,
                    "team %lld was formed in another team than the current one",
                    static_cast<long long>(next.number));
    }
    return end_with_status(stat, change_team(next), kRoutine);
}

PRIF_ENTRY int tessera_prif_end_team(int* stat) {
    constexpr const char* kRoutine = "prif_end_team";
    check_running(kRoutine);
    if (caf::current_team().is_initial()) {
        return fail(stat, caf::kMisuse, kRoutine,
                    "the initial team is the current team; prif_change_team comes first");
    }
    return end_with_status(stat, caf::end_team(), kRoutine);
}

// The Fortran layer has the same numbers.
enum TeamLevel : int { kCurrentTeam = 0, kParentTeam = 1, kInitialTeam = 2 };

PRIF_ENTRY void* tessera_prif_get_team(int level, int asked) {
    check_running("prif_get_team");
    switch (level) {
        case kCurrentTeam: return caf::current_team().token;
        case kParentTeam: return caf::ancestor(1).token;
        case kInitialTeam: return caf::initial_team().token;
        default:
            caf::stop_with_error("prif_get_team",
                                 "level %d is none of PRIF_CURRENT_TEAM, PRIF_PARENT_TEAM and "
                                 "PRIF_INITIAL_TEAM",
                                 asked);
    }
}

PRIF_ENTRY std::int64_t tessera_prif_team_number(const void* team) {
    check_running("prif_team_number");
    return team_of(team, "prif_team_number").number;
}

}  // namespace tessera::prif
