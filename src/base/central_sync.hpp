// SPDX-License-Identifier: BSD-3-Clause
//
// A meeting point for a fixed number of processes in shared memory: the last to arrive releases
// all. Used while a job starts and ends, and as the barrier of choice when PEs outnumber cores
// (fewest context switches). Zero bytes are a valid initial state, so a fresh memfd is ready for
// use.
//
//   line 0: arrived   how many have arrived in this round
//   line 1: rounds    number of finished rounds; waiters sleep here
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera {

struct CentralSync {
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> arrived;
    alignas(kFalseSharingBytes) Gate rounds;

    // Returns when `members` processes have called it for this round. Everything that any of them
    // wrote before is then visible to all.
    // COST: one locked addition; one cache line moves to every member.
    void barrier(std::uint32_t members, const char* where) {
        // The number cannot change without this member, so it is still that of this round.
        std::uint32_t next = rounds.number() + 1;
        // acq_rel: the last member acquires the writes that the others released, and passes them on
        // by post(). Pairs with base/central_sync.hpp:barrier of the other members.
        if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
            arrived.store(0, std::memory_order_relaxed);  // Published by post().
            rounds.post(next);
        } else {
            rounds.wait_for(next, where);
        }
    }
};
static_assert(sizeof(CentralSync) == 2 * kFalseSharingBytes);

}  // namespace tessera
