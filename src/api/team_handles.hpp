// SPDX-License-Identifier: BSD-3-Clause
//
// From a new team to the handle that the program gets. For the routines that make teams.
#pragma once

#include "api/handles.hpp"
#include "collectives/team_create.hpp"
#include "shmem/teams.h"

namespace tessera::api {

// The program's requests for a new team.
struct Configuration {
    const shmem_team_config_t* config;
    long mask;

    int num_contexts() const {
        bool is_given = config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0;
        return is_given ? config->num_contexts : 0;
    }
};

// RETURNS: 0; or 1 when the team could not be made, the same on all PEs that took part. The handle
// in *new_team, unless this PE is no member.
int hand_out(collectives::NewTeam made, const Configuration& configuration, shmem_team_t* new_team,
             const char* where);

}  // namespace tessera::api
