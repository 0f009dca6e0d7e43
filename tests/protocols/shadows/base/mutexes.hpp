// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: a mutex between threads. Executions in which a thread finds it taken are left out:
// they are the same as those in which the thread comes later.
#pragma once

#include <atomic>
#include <mutex>

#include "protocol.hpp"

namespace tessera {

class ShortMutex {
  public:
    void lock() { protocols::assume(try_lock()); }
    bool try_lock() {
        bool expected = false;
        return is_taken_.compare_exchange_strong(expected, true, std::memory_order_acquire);
    }
    void lock_shared() { lock(); }
    void unlock_shared() { unlock(); }
    void unlock() { is_taken_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> is_taken_{false};
};
using ShortSharedMutex = ShortMutex;
using LongMutex = ShortMutex;

}  // namespace tessera
