// SPDX-License-Identifier: BSD-3-Clause
//
// The flags of a team (teams/team.hpp) in the internal segment of a member: the layout alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/central_sync.hpp"
#include "base/platform.hpp"
#include "base/wait.hpp"
#include "core/diagnosis.hpp"

namespace tessera {

inline constexpr int kSyncRoundsMax = 32;  // dissemination: 2^32 members

// A member's flags, in its internal segment, written by other members.
//   line i   arrival[i]: number of the last sync whose round i reached this member
//   then     central: the team's meeting point; only the copy of member 0 is used
//   then     shown: a number that this member shows to the others between two syncs
//            (collectives/group.hpp), and list_block: where the node's block of the team begins
//            in the lists of this owner, plus 1, or 0 (teams/team_arrays.cpp)
//   then     lines: words that this member shows, by turns (collectives/shown_lines.cpp)
//   then     calls: the collectives that this member has called (core/diagnosis.hpp)
struct TeamFlags {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
    };
    struct alignas(kFalseSharingBytes) Words {
        std::uint64_t words[16];
    };
    Line arrival[kSyncRoundsMax];
    CentralSync central;
    alignas(kFalseSharingBytes) std::uint64_t shown;
    std::uint64_t list_block;
    Words lines[2];
    alignas(kFalseSharingBytes) TeamCalls calls;
};
static_assert(sizeof(TeamFlags) == (kSyncRoundsMax + 6) * kFalseSharingBytes);

}  // namespace tessera
