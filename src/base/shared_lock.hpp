// SPDX-License-Identifier: BSD-3-Clause
//
// Mutual exclusion between processes by one word in shared memory, for paths that make system calls
// anyway. Not fair. Zero is unlocked. Handlers of messages take it, so its holder neither waits nor
// makes progress (base/no_wait.hpp), and a waiter need not do anything for the holder.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"
#include "base/no_wait.hpp"
#include "base/platform.hpp"
#include "base/wait_policy.hpp"

namespace tessera {

// Pairs with base/shared_lock.hpp:SharedLock and base/shared_lock.hpp:~SharedLock.
class SharedLock {
  public:
    SharedLock(std::atomic<std::uint32_t>& word, const char* where) : word_(word), no_wait_(where) {
        for (std::uint32_t tries = 0; word_.exchange(1, std::memory_order_acquire) != 0; ++tries)
            wait_a_moment(tries);
    }
    ~SharedLock() { word_.store(0, std::memory_order_release); }
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;

  private:
    // The holder may have lost its core in between, for long if it was stopped.
    TESSERA_COLD void wait_a_moment(std::uint32_t tries) {
        constexpr std::uint32_t kPauses = 100;
        constexpr std::uint32_t kYields = 1000;
        constexpr std::int64_t kSleepNanoseconds = 200'000;
        if (tries < kPauses && wait_policy.pauses != 0) return cpu_pause();
        if (tries < kYields) {
            ::sched_yield();
        } else {
            futex_wait(word_, 1, kSleepNanoseconds);  // Timed: the holder wakes no one.
        }
    }

    std::atomic<std::uint32_t>& word_;
    NoWait no_wait_;
};

}  // namespace tessera
