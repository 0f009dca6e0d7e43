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

inline collectives::Group group_of(const collectives::ActiveSet& set, long* psync,
                                   const char* where) {
    check_initialized(where);
    return {set, psync, where};
}

}  // namespace tessera::api
