// SPDX-License-Identifier: BSD-3-Clause
#include "teams/live_teams.hpp"

#include "core/node.hpp"
#include "core/runtime.hpp"
#include "memory/team_memory.hpp"
#include "teams/ids.hpp"

namespace tessera::dart {

void start_teams() {
    std::vector<int> all(static_cast<std::size_t>(n_units()));
    for (int unit = 0; unit < n_units(); ++unit) {
        all[static_cast<std::size_t>(unit)] = unit;
    }
    auto* team = new Team(DART_TEAM_ALL, SHMEM_TEAM_WORLD, all);
    team->segments.add_local({.base = anchor(),
                              .bytes = SIZE_MAX / 2,
                              .mapped_units = node.count,
                              .kind = SegmentKind::kAllocated});
    detail::teams[DART_TEAM_ALL].store(team, std::memory_order_release);
}

void end_team(Team* team) {
    end_segments(*team);
    detail::teams[team->id].store(nullptr, std::memory_order_release);
    if (team->id != DART_TEAM_ALL) {
        shmem_team_destroy(team->handle);
    }
    delete team;
}

// All units go through their teams by ascending numbers. Two that are in the same teams therefore
// meet in them in the same order.
void end_teams() {
    for (int id = 1; id <= last_team_id(); ++id) {
        if (Team* team = find_team(static_cast<dart_team_t>(id))) {
            end_team(team);
        }
    }
    end_team(find_team(DART_TEAM_ALL));
    restart_team_ids();
}

}  // namespace tessera::dart
