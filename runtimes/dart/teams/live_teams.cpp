// SPDX-License-Identifier: BSD-3-Clause
#include "teams/live_teams.hpp"

#include <shmemx.h>

#include "core/log.hpp"
#include "core/node.hpp"
#include "core/runtime.hpp"
#include "locality/locality.hpp"
#include "memory/team_memory.hpp"
#include "teams/ids.hpp"

namespace tessera::dart {

Team* make_team(dart_team_t id, shmem_team_t handle, const std::vector<int>& units) {
    auto* calls = static_cast<Team::Calls*>(shmemx_team_calloc(handle, 1, sizeof(Team::Calls)));
    return calls != nullptr ? new Team(id, handle, units, calls) : nullptr;
}

void start_teams() {
    std::vector<int> all(static_cast<std::size_t>(n_units()));
    for (int unit = 0; unit < n_units(); ++unit) all[static_cast<std::size_t>(unit)] = unit;
    Team* team = make_team(DART_TEAM_ALL, SHMEM_TEAM_WORLD, all);
    if (team == nullptr) {
        fatal("dart_init",
              "no team memory is left for the team of all units; make SHMEM_TEAM_MEMORY_SIZE "
              "larger");
    }
    team->segments.add_local(
        {.base = anchor(), .mapped_units = node.count, .kind = SegmentKind::kAllocated});
    // Pairs with core/team.hpp:find_team.
    detail::teams[DART_TEAM_ALL].store(team, std::memory_order_release);
}

void end_team(Team* team) {
    end_segments(*team);
    end_locality(team->id);
    // Pairs with core/team.hpp:find_team.
    detail::teams[team->id].store(nullptr, std::memory_order_release);
    const shmem_team_t handle = team->handle;
    const bool is_world = team->id == DART_TEAM_ALL;
    delete team;
    if (!is_world) shmem_team_destroy(handle);
}

// All units go through their teams by ascending numbers. Two that are in the same teams therefore
// meet in them in the same order.
void end_teams() {
    for (int id = 1; id <= last_team_id(); ++id) {
        if (Team* team = find_team(static_cast<dart_team_t>(id))) end_team(team);
    }
    end_team(find_team(DART_TEAM_ALL));
    restart_team_ids();
}

}  // namespace tessera::dart
