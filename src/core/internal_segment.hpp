// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of a PE's internal segment: shared by the node's PEs, never part of the program's
// heap. Zeroed by its owner before the startup sync.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/platform.hpp"
#include "base/setting_marks.hpp"
#include "core/shared_copy.hpp"
#include "core/team.hpp"
#include "core/team_mailboxes.hpp"
#include "heap/node_file.hpp"

namespace tessera {

inline constexpr std::size_t kAffinityWords = 64;  // 4096 PUs

struct InternalSegment {
    // Bit i: this PE may run on PU i (OS index). Read once, by the PE that discovers the topology.
    alignas(kFalseSharingBytes) std::uint64_t affinity[kAffinityWords];
    // Serialises atomics on this PE's static data when that is not mapped (transports/cma).
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> static_lock;
    // Never written; reads of it follow writes (transports/ofi).
    alignas(kFalseSharingBytes) std::uint64_t unchanging;
    // Of PE 0: the smallest default heap of all nodes; 0: no node has proposed one yet.
    alignas(kFalseSharingBytes) std::uint64_t smallest_heap_bytes;
    // SHMEM_DEBUG: of this PE's last collective allocation.
    alignas(kFalseSharingBytes) std::uint64_t allocation_digest;
    // Read when the settings of two PEs differ.
    SettingMarks setting_marks;
    // Of PE 0: the number of PEs that have come to exit() without shmem_finalize
    // (core/exit_meeting.hpp).
    alignas(kFalseSharingBytes) std::uint64_t leaving;
    // Written by every slow wait, read by the node's PEs, and by others in exit_meeting.cpp.
    alignas(kFalseSharingBytes) WaitTimes waits;
    // Written by another PE of the node while both start (base/wait_trial.hpp).
    alignas(kFalseSharingBytes) Gate trial;
    // Another PE's long copy from or to this one, which this one may help with.
    SharedCopyOffer shared_copy;
    // This PE sleeps in a wait on a word of its own. Other PEs check it after every p and atomic
    // towards this PE. Last, because the program's words often lie at the start of a page:
    // kAliasingBytes.
    alignas(kFalseSharingBytes) Sleeper sleeper;
};
static_assert(std::is_standard_layout_v<InternalSegment>);

// A peer's sleeper (core/address_map.hpp) tells where its segment begins.
inline InternalSegment& segment_of(Sleeper* sleeper) {
    return *reinterpret_cast<InternalSegment*>(reinterpret_cast<char*>(sleeper) -
                                               offsetof(InternalSegment, sleeper));
}

// Behind it lie two arrays with an element for each team that the PE may be a member of: flags, and
// mailboxes (the first teams have some); pages exist for those in use.
inline constexpr std::size_t kMailboxesOffset = heap::kInternalBytes / 2;
inline constexpr std::uint32_t kTeamSlots =
    static_cast<std::uint32_t>((kMailboxesOffset - sizeof(InternalSegment)) / sizeof(TeamFlags));
inline std::uint32_t teams_with_mailboxes() {
    constexpr std::size_t kBytes = heap::kInternalBytes - kMailboxesOffset;
    return static_cast<std::uint32_t>(kBytes / TeamMailboxes::stride());
}
inline constexpr std::uint32_t kWorldTeamSlot = 0;
inline constexpr std::uint32_t kSharedTeamSlot = 1;
inline constexpr std::uint32_t kNodeTeamSlot = 2;
inline constexpr std::uint32_t kFirstFreeTeamSlot = 3;

inline TeamFlags* team_flags_of(InternalSegment& segment, std::uint32_t slot) {
    return reinterpret_cast<TeamFlags*>(&segment + 1) + slot;
}

inline TeamMailboxes* team_mailboxes_of(InternalSegment& segment, std::uint32_t slot) {
    char* start = reinterpret_cast<char*>(&segment) + kMailboxesOffset;
    return reinterpret_cast<TeamMailboxes*>(start + slot * TeamMailboxes::stride());
}

}  // namespace tessera
