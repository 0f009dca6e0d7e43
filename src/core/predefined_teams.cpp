// SPDX-License-Identifier: BSD-3-Clause
//
// The teams that exist after init (live.hpp): world, shared, and the node's.
#include <algorithm>
#include <span>

#include "core/config.hpp"
#include "core/live.hpp"
#include "core/team.hpp"

namespace tessera {
namespace {

// A predefined team: the same slot on all members. `members` is empty for the world.
void make_team(Team& team, std::span<const int> members, std::uint32_t slot) {
    const bool is_world = members.empty();
    team = {};
    team.npes = is_world ? live->job.npes : static_cast<int>(members.size());
    team.slot = slot;
    team.more_members_than_cores =
        static_cast<std::uint32_t>(live->job.npes_of_host) > live->node->header().usable_cores;
    team.members.assign(members.begin(), members.end());
    team.world_pes = is_world ? nullptr : team.members.data();
    team.my_index = team.index_of(live->job.pe);
}

}  // namespace

void make_predefined_teams() {
    forget_team_slots();
    slot_bytes = kSlotBytesMin << static_cast<unsigned>(config().collective_buffer);
    make_team(world_team, {}, kWorldTeamSlot);
    make_team(shared_team, live->job.local_pes, kSharedTeamSlot);
    make_team(node_team, live->job.local_pes, kNodeTeamSlot);
}

}  // namespace tessera
