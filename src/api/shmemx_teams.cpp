// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of any members (shmemx/teams.h).
#include "shmemx/teams.h"

#include <algorithm>
#include <span>
#include <vector>

#include "api/entry.hpp"
#include "api/team_handles.hpp"
#include "base/fatal.hpp"

namespace tessera::api {
namespace {

// The PEs' numbers in the world. A list that is none ends the job.
std::vector<int> checked_members(const Team& parent, const int* pes, int npes, const char* where) {
    if (npes <= 0 || npes > parent.npes)
        fatal("%s: npes is %d; a team of PEs of this parent has 1 to %d", where, npes, parent.npes);
    if (pes == nullptr) fatal("%s: pes is NULL; give a list of %d PE numbers", where, npes);
    std::vector<bool> is_listed(static_cast<std::size_t>(parent.npes));
    std::vector<int> members;
    members.reserve(static_cast<std::size_t>(npes));
    for (int i = 0; i < npes; ++i) {
        if (pes[i] < 0 || pes[i] >= parent.npes) {
            fatal("%s: pes[%d] is %d, which is not in [0, %d), the PEs of the parent", where, i,
                  pes[i], parent.npes);
        }
        std::vector<bool>::reference listed = is_listed[static_cast<std::size_t>(pes[i])];
        if (listed) {
            fatal("%s: pes[%d] is %d, which is in the list before; name each PE once", where, i,
                  pes[i]);
        }
        listed = true;
        members.push_back(parent.world_pe(pes[i]));
    }
    if (!is_listed[static_cast<std::size_t>(parent.my_index)]) {
        fatal(
            "%s: pes does not name this PE, number %d of the parent; only the PEs of the list call "
            "the routine",
            where, parent.my_index);
    }
    return members;
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;
namespace collectives = tessera::collectives;
using tessera::Team;

SHMEM_ENTRY(int, shmemx_team_split_color, shmem_team_t parent_team, int color, int key,
            const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
    tessera::check_initialized(SHMEM_WHERE);
    *new_team = SHMEM_TEAM_INVALID;
    Team* parent = api::team_or_null(parent_team, SHMEM_WHERE);
    if (parent == nullptr) return 1;
    return api::hand_out(
        collectives::split_team(*parent, {.color = color, .key = key}, SHMEM_WHERE),
        {config, config_mask}, new_team, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_team_create, shmem_team_t parent_team, const int* pes, int npes,
            const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
    tessera::check_initialized(SHMEM_WHERE);
    *new_team = SHMEM_TEAM_INVALID;
    Team* parent = api::team_or_null(parent_team, SHMEM_WHERE);
    if (parent == nullptr) return 1;
    const std::vector<int> members = api::checked_members(*parent, pes, npes, SHMEM_WHERE);
    return api::hand_out(collectives::create_team_of(members, SHMEM_WHERE), {config, config_mask},
                         new_team, SHMEM_WHERE);
}
