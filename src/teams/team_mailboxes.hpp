// SPDX-License-Identifier: BSD-3-Clause
//
// The places where the members of a team put data and signals for each other while a collective
// runs. Each member's internal segment has one TeamMailboxes for each team, behind the flags of its
// teams.
//
//   gates[parity][kind][round]   a line each, a gate and room for a note that travels with it;
//                                written by one other member at a time
//   published[slot]              the gate of data that a root shows to all, of its first slot
//   published_data               that data
//   slot(parity, round)          the data of a kData gate; kSlotBytes each
//
// A gate carries the number of the collective on this team. Collectives that use mailboxes end on a
// member only when all members have begun; so no member is more than one ahead, and two sets (by
// the number's parity) are enough, whichever algorithms follow each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera {

inline constexpr int kMailboxRounds = 22;  // 2^20 members, and two to fold odd numbers of them
inline constexpr std::size_t kSlotBytes = 8192;  // bytes of each round's slot

// For broadcasts that no sync follows: 32 short ones, or 8 of the longest.
inline constexpr std::uint32_t kPublishedSlots = 32;
inline constexpr std::size_t kPublishedSlotBytes = 2048;
static_assert(kSlotBytes <= kPublishedSlots * kPublishedSlotBytes);

inline constexpr std::size_t kNoteAlignment = 16;  // alignment of any element
inline constexpr std::size_t kNoteBytes = kFalseSharingBytes - kNoteAlignment;

enum class GateKind : std::uint8_t { kData, kReady, kDone };
inline constexpr int kGateKinds = 3;

struct TeamMailboxes {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
        alignas(kNoteAlignment) char note[kNoteBytes];
    };
    static_assert(sizeof(Line) == kFalseSharingBytes);
    Line gates[2][kGateKinds][kMailboxRounds];
    Line published[kPublishedSlots];
    alignas(kFalseSharingBytes) char published_data[kPublishedSlots * kPublishedSlotBytes];

    char* slot(std::uint32_t parity, int round = 0) {
        const auto place = static_cast<std::size_t>(parity) * kMailboxRounds;
        return reinterpret_cast<char*>(this + 1) +
               (place + static_cast<std::size_t>(round)) * kSlotBytes;
    }
    // From one team's mailboxes to the next.
    static constexpr std::size_t stride() {
        return sizeof(TeamMailboxes) + 2 * kMailboxRounds * kSlotBytes;
    }
};

}  // namespace tessera
