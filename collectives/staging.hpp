// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric memory of a team, through which private arrays pass, so that every algorithm serves
// them: between two calls nothing in it counts. Allocated at the first use, from team memory
// (collectives/team_memory.hpp), and kept until the team ends. THREADS: like collectives.
#pragma once

#include <cstddef>

#include "collectives/model.hpp"
#include "settings/config.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

struct Restriction;

// `bytes` of the team's staging memory, at the same symmetric address on all members; nullptr, on
// all members alike: there is no room. REQUIRES: the same `bytes` on all members.
// COST: nothing, unless the memory grows; then an allocation of team memory and a sync.
char* staging_of(Team& team, std::size_t bytes, const char* where);

// The copies of a call that passes through this memory, by the model.
Cost staging_cost(Collective collective, const Restriction& restriction, const TeamLayout& team,
                  double bytes);

}  // namespace tessera::collectives
