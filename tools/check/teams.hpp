// SPDX-License-Identifier: BSD-3-Clause
//
// The teams and contexts of this PE: the names by which all members know a team, and what was
// destroyed or left over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/interpose/call.hpp"

namespace tessera::check {

// A team or active set, as its members agree on it without a message.
struct Group {
    std::uint64_t key = 0;     // the same on all members
    std::uint64_t count = 0;   // collectives so far
    int first = 0;             // world number of the first member
    std::string name;          // "SHMEM_TEAM_WORLD", "the team of shmem_team_split_2d at ..."
    std::vector<int> members;  // world numbers
};

// nullptr: no team that exists.
Group* group_of(const interpose::Call& call);
// The group with this key, if this PE is a member and has seen it.
const Group* group_with(std::uint64_t key);

// The call makes or ends a team or context, or uses one that has ended.
void before_handles(const interpose::Call& call);
void after_handles(const interpose::Call& call);

void begin_teams();
// At the last finalize: private contexts that still exist are a mistake, the rest is told.
void end_teams(const interpose::Call& call);

}  // namespace tessera::check
