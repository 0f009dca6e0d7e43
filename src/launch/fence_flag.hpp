// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a fence of the launcher, which another thread of this process sees. Used by
// pmix_client.cpp and group.cpp.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace tessera::launch {

class FenceFlag {
  public:
    void begin() { is_over_.store(0, std::memory_order_relaxed); }
    void end() {
        // Pairs with launch/fence_flag.hpp:wait.
        is_over_.store(1, std::memory_order_release);
        futex_wake_all(is_over_);
    }
    // Calls `progress` at least once and then over and over, unless it is nullptr. It first yields
    // and then sleeps: the launcher and other PEs need the cores as well.
    void wait(void (*progress)()) {
        int round = 0;
        do {
            if (progress != nullptr) progress();
            if (progress != nullptr && round++ < kYields) {
                ::sched_yield();
            } else {
                futex_wait(is_over_, 0, progress != nullptr ? kTimedSleepNanoseconds : 0);
            }
            // Pairs with launch/fence_flag.hpp:end.
        } while (is_over_.load(std::memory_order_acquire) == 0);
    }

  private:
    static constexpr int kYields = 100;
    static constexpr std::int64_t kTimedSleepNanoseconds = 200'000;
    std::atomic<std::uint32_t> is_over_{0};
};

}  // namespace tessera::launch
