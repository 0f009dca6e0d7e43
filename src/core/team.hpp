// SPDX-License-Identifier: BSD-3-Clause
//
// A team: an ordered list of PEs with flags of its own in the internal segments of its members, so that
// no two teams ever share a flag. Collectives know a team and nothing else. THREADS: one collective
// at a time on a team (OpenSHMEM 1.6, 9.10); different teams are independent.
#pragma once

#include <cstdint>

#include "base/central_sync.hpp"
#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera {

inline constexpr int kSyncRoundsMax = 32;  // dissemination: 2^32 members

// A member's flags, in its internal segment, written by other members.
//   line i   arrival[i]: number of the last sync whose round i reached this member
//   then     central: the team's meeting point; only the copy of member 0 is used
struct TeamFlags {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
    };
    Line arrival[kSyncRoundsMax];
    CentralSync central;
};
static_assert(sizeof(TeamFlags) == (kSyncRoundsMax + 2) * kFalseSharingBytes);

struct Team;
using SyncFunction = void (*)(Team& team, const char* where);

struct Team {
    int npes = 1;
    int my_index = 0;
    // Member i's flags as this PE maps them.
    TeamFlags* const* flags = nullptr;
    std::uint32_t syncs = 0;  // syncs done by this PE; equal on all members between syncs
    bool more_members_than_cores = false;
    SyncFunction sync = nullptr;  // chosen by collectives/table.cpp

    TeamFlags& my_flags() const { return *flags[my_index]; }
};

}  // namespace tessera
