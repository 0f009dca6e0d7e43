// SPDX-License-Identifier: BSD-3-Clause
//
// The queue lock behind shmem_set_lock (OpenSHMEM 1.6, 9.13): MCS, so waiters are served in order
// and each waits on a word of its own PE. The lock is a symmetric long, zero when free. Its copies
// are used like this (one queue entry a PE: locks are not reentrant, threads of a PE included):
//
//   copy of the home PE:   +0 tail: PE number + 1 of the last in the queue, 0: free
//   copy of every PE:      +4 entry: kLockHeld | kLockGranted | PE number + 1 of the next in line
//
// The home PE follows from the lock's offset, so that many locks spread over the PEs. The home of a
// lock in team memory is a member of the team.
// COST: free lock: one swap at home and one local update; release: one compare-and-swap, or one
// remote update that hands over.
#pragma once

#include <cstdint>

#include "core/context.hpp"

namespace tessera {

// The parts of an entry.
inline constexpr std::uint32_t kLockHeld = 1U << 31;
inline constexpr std::uint32_t kLockGranted = 1U << 30;
inline constexpr std::uint32_t kLockNextMask = kLockGranted - 1;

class Lock {
  public:
    // `where` names the public routine. An address that cannot be a lock ends the job.
    Lock(long* lock, const char* where);

    // RETURNS when: the calling PE holds the lock and sees what the previous holder completed.
    void set();
    bool try_set();
    // REQUIRES: the calling PE's operations under the lock are complete (quiet).
    void clear();

  private:
    std::uint32_t* tail() const { return words_; }
    std::uint32_t* entry() const { return words_ + 1; }
    bool is_held_here() const;
    void wait_for_grant();
    std::uint32_t wait_for_successor();

    std::uint32_t* words_;  // symmetric
    int home_pe_ = 0;
    const char* where_;
    NoCancellationPoint no_point_;  // A thread does not end in the middle of the queue's protocol.
};

}  // namespace tessera
