// SPDX-License-Identifier: BSD-3-Clause
//
// Where the members of a team leave data and signals for each other while a collective runs: in
// each member's internal segment, behind the flags of its teams, one of these for each slot.
//
//   gates[parity][kind][round]   one line each; written by one other member at a time
//   mail[parity][round]          what came with a kMail gate; `mail_bytes` each
//   left[slot], left_data        what a root has left for all, and the gate that says so: that of
//                                the first slot that the data fills
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
// SHMEM_COLLECTIVE_BUFFER: of each round's mail. The same on all PEs; set before the first team.
inline constexpr std::size_t kMailBytesMin = 8192;
inline std::size_t mail_bytes = kMailBytesMin;

// For broadcasts that no sync follows: 32 short ones, or 8 of the longest.
inline constexpr std::uint32_t kLeftSlots = 32;
inline constexpr std::size_t kLeftSlotBytes = 2048;
static_assert(kMailBytesMin <= kLeftSlots * kLeftSlotBytes);

enum class LinkKind : std::uint8_t { kMail, kReady, kDone };
inline constexpr int kLinkKinds = 3;

struct TeamLinks {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
    };
    Line gates[2][kLinkKinds][kLinkRounds];
    Line left[kLeftSlots];
    alignas(kFalseSharingBytes) char left_data[kLeftSlots * kLeftSlotBytes];

    char* mail(std::uint32_t parity, int round = 0) {
        const auto place = static_cast<std::size_t>(parity) * kLinkRounds;
        return reinterpret_cast<char*>(this + 1) +
               (place + static_cast<std::size_t>(round)) * mail_bytes;
    }
    // From one team's links to the next.
    static std::size_t stride() { return sizeof(TeamLinks) + 2 * kLinkRounds * mail_bytes; }
};

}  // namespace tessera
