// SPDX-License-Identifier: BSD-3-Clause
//
// What a PE's internal segment holds: shared by the node's PEs, never part of the program's heap.
// Zeroed by its owner before the startup sync.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/platform.hpp"
#include "core/team.hpp"
#include "core/team_links.hpp"
#include "heap/node_file.hpp"

namespace tessera {

inline constexpr std::size_t kAffinityWords = 64;  // 4096 PUs

struct InternalSegment {
    // This PE sleeps in a wait on a word of its own; others look after every atomic towards it.
    // First: a peer's sleeper (core/address_map.hpp) is where its segment begins.
    alignas(kFalseSharingBytes) Sleeper sleeper;
    // Bit i: this PE may run on PU i (OS index). Read once, by the PE that discovers the topology.
    alignas(kFalseSharingBytes) std::uint64_t affinity[kAffinityWords];
    // Serialises atomics on this PE's static data when that is not mapped (transports/shm).
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> static_lock;
    // Nobody writes to it (transports/ofi).
    alignas(kFalseSharingBytes) std::uint64_t unchanging;
    // Of PE 0: the smallest default heap of all nodes; 0: nobody has proposed one yet.
    alignas(kFalseSharingBytes) std::uint64_t smallest_heap_bytes;
    // SHMEM_DEBUG: of this PE's last collective allocation.
    alignas(kFalseSharingBytes) std::uint64_t allocation_digest;
};
static_assert(std::is_standard_layout_v<InternalSegment> &&
              offsetof(InternalSegment, sleeper) == 0);

// Behind it lie two arrays with an element for each team that the PE may be a member of: flags, and
// links (the first teams have some); pages exist for those in use.
inline constexpr std::size_t kLinksOffset = heap::kInternalBytes / 2;
inline constexpr std::uint32_t kTeamSlots =
    static_cast<std::uint32_t>((kLinksOffset - sizeof(InternalSegment)) / sizeof(TeamFlags));
inline std::uint32_t teams_with_links() {
    return static_cast<std::uint32_t>((heap::kInternalBytes - kLinksOffset) / TeamLinks::stride());
}
inline constexpr std::uint32_t kWorldTeamSlot = 0;
inline constexpr std::uint32_t kSharedTeamSlot = 1;
inline constexpr std::uint32_t kNodeTeamSlot = 2;
inline constexpr std::uint32_t kFirstFreeTeamSlot = 3;

inline TeamFlags* team_flags_of(InternalSegment& segment, std::uint32_t slot) {
    return reinterpret_cast<TeamFlags*>(&segment + 1) + slot;
}

inline TeamLinks* team_links_of(InternalSegment& segment, std::uint32_t slot) {
    char* start = reinterpret_cast<char*>(&segment) + kLinksOffset;
    return reinterpret_cast<TeamLinks*>(start + slot * TeamLinks::stride());
}

}  // namespace tessera
