// SPDX-License-Identifier: BSD-3-Clause
//
// Mutual exclusion between processes by one word in shared memory, for paths that make system calls
// anyway. Not fair. Zero is unlocked.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/wait.hpp"

namespace tessera {

class SharedLock {
  public:
    SharedLock(std::atomic<std::uint32_t>& word, const char* where) : word_(word) {
        // Acquire pairs with the release of the previous owner. The wait may ask again after a yes.
        bool is_mine = false;
        auto try_lock = [&] {
            is_mine = is_mine || word_.exchange(1, std::memory_order_acquire) == 0;
            return is_mine;
        };
        wait_until(try_lock, where);
    }
    ~SharedLock() { word_.store(0, std::memory_order_release); }
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;

  private:
    std::atomic<std::uint32_t>& word_;
};

}  // namespace tessera
