// SPDX-License-Identifier: BSD-3-Clause
//
// Where the members of a team leave data and signals for each other while a collective runs: in
// each member's internal segment, behind the flags of its teams, one of these for each slot.
//
//   gates[parity][kind][round]   one line each; written by one other member at a time
//   mail[parity][round]          what came with a kMail gate
//
// A gate carries the number of the collective on this team. Collectives that use links end on a
// member only when all members have begun; so nobody is more than one ahead, and two sets (by the
// number's parity) are enough, whichever algorithms follow each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera {

inline constexpr int kLinkRounds = 22;  // 2^20 members, and two to fold odd numbers of them
inline constexpr std::size_t kMailBytes = 8192;

enum class LinkKind : std::uint8_t { kMail, kReady, kDone };
inline constexpr int kLinkKinds = 3;

struct TeamLinks {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
    };
    Line gates[2][kLinkKinds][kLinkRounds];
    alignas(kFalseSharingBytes) char mail[2][kLinkRounds][kMailBytes];
};

}  // namespace tessera
