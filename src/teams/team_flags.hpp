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
//   then     exchange: words that this member shows to the others between two syncs; the last
//            one lasts as long as the team (teams/team_arrays.cpp)
//   then     lines: words that this member shows, by turns (collectives/shown_lines.cpp)
//   then     calls: the collectives that this member has called (core/diagnosis.hpp)
struct TeamFlags {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
    };
    static constexpr std::size_t kExchangeWords = 16;
    struct alignas(kFalseSharingBytes) Words {
        std::uint64_t words[kExchangeWords];
        std::uint64_t& operator[](std::size_t index) { return words[index]; }
    };
    Line arrival[kSyncRoundsMax];
    CentralSync central;
    Words exchange;
    Words lines[2];
    alignas(kFalseSharingBytes) TeamCalls calls;
};
static_assert(sizeof(TeamFlags) == (kSyncRoundsMax + 6) * kFalseSharingBytes);

}  // namespace tessera
