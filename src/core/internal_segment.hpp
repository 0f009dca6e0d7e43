// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of a PE's internal segment: shared by the node's PEs, never part of the program's
// heap. Zeroed by its owner before the startup sync.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/endpoint_slot.hpp"
#include "base/platform.hpp"
#include "base/setting_marks.hpp"
#include "base/wait_subject.hpp"
#include "core/diagnosis.hpp"
#include "heap/heap_address.hpp"
#include "heap/node_file.hpp"
#include "heap/pe_location.hpp"
#include "heap/shared_pages.hpp"
#include "locks/queue_node.hpp"
#include "progress/offload_invitation.hpp"
#include "teams/team_flags.hpp"
#include "teams/team_mailboxes.hpp"
#include "teams/team_streams.hpp"

namespace tessera {

inline constexpr std::size_t kAffinityWords = 64;  // 4096 PUs

// By these the PE's registered segments can be reached within the node. Written with the first one.
struct SegmentHelp {
    std::uint32_t endpoint_bytes;
    std::int32_t pid;
    std::uintptr_t proof;         // address of the random number in the PE's own memory
    std::uint64_t random_number;  // the same here
    std::byte endpoint[kEndpointSlotBytes];
    heap::PagesOffer pages;  // this PE's pages
};

struct InternalSegment {
    // Bit i: this PE may run on PU i (OS index). Read once, by the PE that discovers the topology.
    alignas(kFalseSharingBytes) std::uint64_t affinity[kAffinityWords];
    // Serialises atomics on this PE's static data when that is not mapped (transports/cma).
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> static_lock;
    // Elements of this PE's memory that are no words change under it (base/elements.hpp).
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> element_lock;
    // No PE writes it. A PE reads it behind its writes, to confirm them (transports/ofi).
    alignas(kFalseSharingBytes) std::uint64_t confirmation_word;
    // PE 0 keeps the smallest default heap of all nodes; 0: no node has proposed one yet.
    alignas(kFalseSharingBytes) std::uint64_t smallest_heap_bytes;
    // PE 0's words serve the job: see agree_on_public_file().
    std::uint64_t public_file_job;
    std::uint64_t static_bytes_max;
    // The first PE of a node tells the others on which try the nodes' PEs agree, by rounds
    // (session/connect.cpp).
    std::atomic<std::uint32_t> heap_tries[heap::kNoHeapAddress + 1];
    // 1: the addresses of the PEs' heaps differ.
    std::uint32_t heaps_differ;
    // SHMEM_DEBUG: digest of this PE's last collective allocation.
    alignas(kFalseSharingBytes) std::uint64_t allocation_digest;
    // Read when the settings of two PEs differ.
    SettingMarks setting_marks;
    // A text on what lay at the addresses that were not free for this PE's heap, as far as it fits.
    char heap_obstacle[80];
    // PE 0 counts the PEs that have come to exit() without shmem_finalize
    // (session/exit_meeting.hpp).
    alignas(kFalseSharingBytes) std::uint64_t leaving;
    // Written by every slow wait, read by the node's PEs, and by others in exit_meeting.cpp.
    alignas(kFalseSharingBytes) WaitTimes waits;
    // The subject of a slow wait, and how to read it; for osh_hang.
    alignas(kFalseSharingBytes) WaitNote wait_note;
    PeFacts facts;
    std::uint64_t held_locks;  // the PE's address of its HeldLocks; for osh_hang
    // This PE publishes its location here once (session/locations.hpp).
    alignas(kFalseSharingBytes) heap::PeLocation location;
    SegmentHelp segment_help;
    // Another PE's long copy from or to this one, which this one may help with.
    OffloadInvitation offload;
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

// Behind it lie arrays; pages exist for the parts in use:
//   flags         an element for each team that the PE may be a member of
//   board         where the PE meets others to make a team (messaging/meeting.hpp)
//   lists         of irregular teams (teams/team_arrays.hpp)
//   mailboxes     for the first teams
//   streams       for the first teams
//   queue nodes   of locks
//   epoch slots   for the first windows, one for each PE of the job; then for the next windows
inline constexpr std::size_t kMailboxesOffset = std::size_t{256} << 20;
inline constexpr std::size_t kStreamsOffset = std::size_t{512} << 20;
inline constexpr std::size_t kQueueNodesOffset = std::size_t{896} << 20;
inline constexpr std::size_t kEpochSlotsOffset = heap::kInternalBytes;
static_assert(kEpochSlotsOffset == kQueueNodesOffset + kQueueNodes * sizeof(QueueNode));
inline constexpr std::size_t kListBytes = std::size_t{32} << 20;
inline constexpr std::size_t kListsOffset = kMailboxesOffset - kListBytes;
inline constexpr std::size_t kBoardBytes = std::size_t{1} << 20;
inline constexpr std::size_t kBoardOffset = kListsOffset - kBoardBytes;
inline constexpr std::uint32_t kTeamSlots =
    static_cast<std::uint32_t>((kBoardOffset - sizeof(InternalSegment)) / sizeof(TeamFlags));
inline constexpr auto kTeamsWithMailboxes =
    static_cast<std::uint32_t>((kStreamsOffset - kMailboxesOffset) / TeamMailboxes::stride());
inline constexpr std::uint32_t kTeamsWithLongStreams = 256;
inline constexpr std::size_t kLongStreamsBytes = kTeamsWithLongStreams * kLongStreamBlockBytes;
inline constexpr auto kTeamsWithStreams =
    kTeamsWithLongStreams +
    static_cast<std::uint32_t>((kQueueNodesOffset - kStreamsOffset - kLongStreamsBytes) /
                               kShortStreamBlockBytes);
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

inline QueueNode* queue_node_of(InternalSegment& segment, std::uint32_t index) {
    char* start = reinterpret_cast<char*>(&segment) + kQueueNodesOffset;
    return reinterpret_cast<QueueNode*>(start) + index;
}

// The gates that PE `pe` of `npes` writes for window `window` of the segment's PE.
inline heap::EpochGates& epoch_gates_of(InternalSegment& segment, std::uint32_t window, int pe,
                                        std::uint32_t npes) {
    using heap::EpochSlot;
    char* start = reinterpret_cast<char*>(&segment) + kEpochSlotsOffset;
    const std::size_t slot =
        std::size_t{window / EpochSlot::kWindows} * npes + static_cast<std::size_t>(pe);
    return reinterpret_cast<EpochSlot*>(start)[slot].windows[window % EpochSlot::kWindows];
}

inline char* lists_of(InternalSegment& segment) {
    return reinterpret_cast<char*>(&segment) + kListsOffset;
}

inline constexpr std::size_t stream_block_bytes(std::uint32_t slot) {
    return slot < kTeamsWithLongStreams ? kLongStreamBlockBytes : kShortStreamBlockBytes;
}

// Where the block of a slot begins behind the first one, and the slot of a byte there.
inline constexpr std::size_t stream_block_offset(std::uint32_t slot) {
    const std::uint32_t long_ones = std::min(slot, kTeamsWithLongStreams);
    return long_ones * kLongStreamBlockBytes + (slot - long_ones) * kShortStreamBlockBytes;
}
inline constexpr std::uint32_t stream_slot_of(std::size_t offset) {
    return static_cast<std::uint32_t>(offset < kLongStreamsBytes
                                          ? offset / kLongStreamBlockBytes
                                          : kTeamsWithLongStreams + (offset - kLongStreamsBytes) /
                                                                        kShortStreamBlockBytes);
}
static_assert(stream_slot_of(stream_block_offset(kTeamsWithLongStreams) - 1) ==
              kTeamsWithLongStreams - 1);
static_assert(stream_slot_of(stream_block_offset(kTeamsWithStreams - 1)) == kTeamsWithStreams - 1);

inline char* stream_block_of(InternalSegment& segment, std::uint32_t slot) {
    return reinterpret_cast<char*>(&segment) + kStreamsOffset + stream_block_offset(slot);
}

}  // namespace tessera
