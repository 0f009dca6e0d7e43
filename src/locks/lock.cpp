// SPDX-License-Identifier: BSD-3-Clause
//
// See lock.hpp. The writers of an entry's bits: its PE sets and clears kLockHeld and clears all at
// the end; its predecessor sets kLockGranted; its successor adds its number. All use atomics that
// acquire and release, so the entry itself carries the order between two holders; they also wake a
// waiter.
#include "locks/lock.hpp"

#include "base/fatal.hpp"
#include "base/wait.hpp"
#include "core/pe_state.hpp"
#include "core/sync_copies.hpp"
#include "heap/team_memory.hpp"

namespace tessera {
namespace {

std::uint32_t queue_number(int pe) { return static_cast<std::uint32_t>(pe) + 1; }
int pe_of(std::uint32_t queue_number) { return static_cast<int>(queue_number) - 1; }

// A block of team memory exists on the members of its team only.
int home_in_team_memory(const long* lock, std::size_t offset, const char* where) {
    const auto block = team_memory().block_containing(offset);
    if (!block) {
        fatal("%s: %p lies in team memory, but in no allocated block", where,
              static_cast<const void*>(lock));
    }
    const Team& team = *static_cast<const Team*>(block->team);
    const std::size_t number = offset / sizeof(long);
    return team.world_pe(static_cast<int>(number % static_cast<std::size_t>(team.npes)));
}

}  // namespace

Lock::Lock(long* lock, const char* where)
    : words_(reinterpret_cast<std::uint32_t*>(lock)), where_(where) {
    static_assert(sizeof(long) == 2 * sizeof(std::uint32_t));
    check_initialized(where);
    auto address = reinterpret_cast<std::uintptr_t>(lock);
    if (!address_map.contains(lock, sizeof(long))) fail_address(lock, sizeof(long), where);
    if (address % sizeof(long) != 0) fail_alignment(lock, sizeof(long), where);
    const std::size_t offset = address - address_map.heap_base;
    if (offset >= address_map.team_begin && offset < address_map.local_begin) {
        home_pe_ = home_in_team_memory(lock, offset, where);
        return;
    }
    std::uintptr_t base = address_map.segment_base(lock, sizeof(long));
    // In 32 bits: many processors take dozens of cycles to divide 64 bits, and any PE may be home.
    const auto number = static_cast<std::uint32_t>((address - base) / sizeof(long));
    home_pe_ = static_cast<int>(number % address_map.npes);
}

bool Lock::is_held_here() const {
    return (default_context.fetch(entry(), address_map.my_pe, where_) & kLockHeld) != 0;
}

void Lock::set() {
    const int me = address_map.my_pe;
    if (is_held_here()) {
        fatal("%s: this PE holds the lock at %p already; locks are not reentrant", where_,
              static_cast<void*>(words_));
    }
    std::uint32_t before = default_context.swap(tail(), queue_number(me), home_pe_, where_);
    if (before != 0) {
        // Release: this entry is empty before the predecessor may grant. Pairs with clear().
        default_context.fetch_or(entry(), queue_number(me), pe_of(before), where_);
        wait_for_grant();
    }
    default_context.fetch_or(entry(), kLockHeld, me, where_);
    sync_copies(SyncPoint::kLockTaken);
}

bool Lock::try_set() {
    const int me = address_map.my_pe;
    std::uint32_t seen =
        default_context.compare_swap(tail(), 0U, queue_number(me), home_pe_, where_);
    if (seen != 0) {
        // A program may repeat the call until the lock is free.
        release_held();
        drive_progress();
        return false;
    }
    default_context.fetch_or(entry(), kLockHeld, me, where_);
    sync_copies(SyncPoint::kLockTaken);
    return true;
}

void Lock::clear() {
    const int me = address_map.my_pe;
    std::uint32_t mine = default_context.fetch(entry(), me, where_);
    if ((mine & kLockHeld) == 0) {
        fatal("%s: this PE does not hold the lock at %p; only the PE that set a lock may clear it",
              where_, static_cast<void*>(words_));
    }
    std::uint32_t next = mine & kLockNextMask;
    if (next == 0) {
        // Empty this entry first: once the tail is free, this PE may be the next owner again.
        default_context.fetch_and(entry(), kLockNextMask, me, where_);
        std::uint32_t last =
            default_context.compare_swap(tail(), queue_number(me), 0U, home_pe_, where_);
        if (last == queue_number(me)) return;
        next = wait_for_successor();
    }
    default_context.set(entry(), 0U, me, where_);
    // Pairs with wait_for_grant() in the successor.
    default_context.fetch_or(entry(), kLockGranted, pe_of(next), where_);
}

// Waits for the number of the PE that has joined the queue behind this one.
std::uint32_t Lock::wait_for_successor() {
    std::uint32_t next = 0;
    wait_until(
        [&] {
            next = default_context.fetch(entry(), address_map.my_pe, where_) & kLockNextMask;
            return next != 0;
        },
        where_);
    return next;
}

void Lock::wait_for_grant() {
    const int me = address_map.my_pe;
    wait_until(
        [=, this] { return (default_context.fetch(entry(), me, where_) & kLockGranted) != 0; },
        where_, [this] { return WaitSubject{.kind = WaitKind::kLock, .address = words_}; });
    default_context.fetch_and(entry(), ~kLockGranted, me, where_);
}

}  // namespace tessera
