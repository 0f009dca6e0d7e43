// SPDX-License-Identifier: BSD-3-Clause
//
// The group of PEs behind the arguments of a collective routine.
#pragma once

#include "api/handles.hpp"
#include "collectives/group.hpp"

namespace tessera::api {

inline collectives::Group group_of(shmem_team_t team, const char* where) {
    Team& members = team_of(team, where);
    members.flags->calls.note(where);
    return {members, where};
}

// Runs a collective of the deprecated routines. For a PE outside the set it does nothing.
template <class Collective, class... Arguments>
void in_active_set(const collectives::ActiveSet& set, long* psync, const char* where,
                   Collective collective, const Arguments&... arguments) {
    check_initialized(where);
    if (collectives::is_in_active_set(set, where))
        collective(collectives::Group(set, psync, where), arguments...);
}

}  // namespace tessera::api
