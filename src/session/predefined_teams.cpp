// SPDX-License-Identifier: BSD-3-Clause
//
// The teams that exist after init (session.hpp): world, shared, and the node's.
#include <span>
#include <vector>

#include "session/session.hpp"
#include "settings/config.hpp"
#include "teams/team_arrays.hpp"

namespace tessera {
namespace {

// A predefined team: the same slot on all members. `members` is empty for the world.
void make_team(Team& team, std::span<const int> members, std::uint32_t slot) {
    team.slot = slot;
    team.more_members_than_cores = static_cast<std::uint32_t>(session->job.npes_of_host) >
                                   session->node->header().usable_cores;
    keep_arrays(team, members.empty() ? find_members_of_world(team) : find_members(team, members));
}

}  // namespace

void make_predefined_teams() {
    session->list_blocks = make_list_blocks();
    pe_state.list_blocks = session->list_blocks.get();
    world_team = {};
    make_team(world_team, {}, kWorldTeamSlot);
    // Where software keeps memory coherent, no PE loads another one's.
    const std::vector<int> alone{session->job.pe};
    make_team(session->shared_team, config().heap.is_coherent() ? session->job.local_pes : alone,
              kSharedTeamSlot);
    make_team(session->node_team, session->job.local_pes, kNodeTeamSlot);
}

}  // namespace tessera
