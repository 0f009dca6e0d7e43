// SPDX-License-Identifier: BSD-3-Clause
//
// The duties of software that keeps copies of memory coherent, in one table: at which points of the
// library this PE's changes become public, and at which its stale copies are renewed. The numbers
// are those of Christgau's thesis (2017), 4.2.3: 1a the target writes back before others access
// its memory; 1b it drops stale copies after; 2a the origin drops what it has read earlier; 2b it
// completes its changes before it tells. docs/runtimes/noncoherent.md is for programs.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "transports/noncoherent_transport.hpp"

namespace tessera::noncoherent {

struct Duty {
    SyncPoint point;
    std::string_view where;
    std::string_view numbers;  // numbers in the thesis
    bool publishes;            // this PE's changes go to its public copy
    bool refreshes;            // this PE's private copy gets the changes of others; publishes what
                               // this PE has changed beside them, so that no change is lost
};

// Those with a range (the last three) concern only the bytes of the operation.
inline constexpr std::array<Duty, static_cast<std::size_t>(SyncPoint::kCount)> kDuties = {{
    // A lock, a signal behind data and the end of an access epoch contain a quiet.
    {SyncPoint::kQuiet, "quiet", "1a 2b", true, false},
    {SyncPoint::kFence, "fence", "1a 2b", true, false},
    {SyncPoint::kNoStore, "quiet, fence with SHMEM_CTX_NOSTORE", "2b", false, false},
    {SyncPoint::kSyncBegin, "begin of barrier or sync", "1a 2b", true, false},
    {SyncPoint::kSyncEnd, "end of barrier or sync", "1b 2a", false, true},
    {SyncPoint::kTellMember, "collective: before it tells a member", "1a 2b", true, false},
    {SyncPoint::kHearMember, "collective: after it heard of a member", "1b 2a", false, true},
    {SyncPoint::kWaitEnd, "end of wait, test, signal_fetch", "1b 2a", false, true},
    {SyncPoint::kLockTaken, "lock or mutex obtained", "1b 2a", false, true},
    {SyncPoint::kEpochPost, "exposure epoch: post", "1a", true, false},
    {SyncPoint::kEpochEnd, "exposure epoch: end of wait, test", "1b", false, true},
    {SyncPoint::kAtomicBegin, "own word: before an atomic", "1a", true, false},
    {SyncPoint::kAtomicEnd, "own word: after an atomic", "1b", false, true},
    {SyncPoint::kOwnGet, "own memory: before a get", "1b", false, true},
}};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kDuties.size(); ++i) {
        if (static_cast<std::size_t>(kDuties[i].point) != i) return false;
    }
    return true;
}
static_assert(is_in_order(), "duty_of() takes the row by its number");

// Whether other PEs may learn of this PE's operations behind the point: then their stamps are set.
constexpr bool tells(const Duty& duty) {
    return duty.publishes || duty.point == SyncPoint::kNoStore;
}

constexpr const Duty& duty_of(SyncPoint point) { return kDuties[static_cast<std::size_t>(point)]; }

}  // namespace tessera::noncoherent
