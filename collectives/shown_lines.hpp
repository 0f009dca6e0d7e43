// SPDX-License-Identifier: BSD-3-Clause
//
// How the members of a team agree: each shows a few words to all.
// COST: a message to each member; on one node, or where the team has no streams, a sync, and a line
// read from each member. THREADS: like collectives.
#pragma once

#include <vector>

#include "teams/team.hpp"

namespace tessera::collectives {

// REQUIRES: bytes <= sizeof(TeamFlags::Words). RETURNS when: all members have called it; `all` has
// the lines in the order of the members.
void show_to_all(Team& team, const void* mine, std::size_t bytes, void* all, const char* where);

template <class Shown>
std::vector<Shown> show_to_all(Team& team, const Shown& mine, const char* where) {
    static_assert(sizeof(Shown) <= sizeof(TeamFlags::Words));
    std::vector<Shown> all(static_cast<std::size_t>(team.npes));
    show_to_all(team, &mine, sizeof mine, all.data(), where);
    return all;
}

}  // namespace tessera::collectives
