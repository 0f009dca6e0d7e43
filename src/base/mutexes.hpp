// SPDX-License-Identifier: BSD-3-Clause
//
// The library's mutexes between the threads of a PE. Each one is of one of two kinds, and its type
// says which; docs/run/progress.md draws their order. Other code of the library declares no
// std::mutex (tests/tools/tidy).
#pragma once

#include <mutex>
#include <shared_mutex>

#include "base/no_wait.hpp"

namespace tessera {

// Its holder neither waits nor makes progress, so a handler of messages may take it.
template <class Mutex>
class BasicShortMutex {
  public:
    constexpr BasicShortMutex() = default;
    void lock() {
        mutex_.lock();
        begin_no_wait(kWhat);
    }
    bool try_lock() {
        if (!mutex_.try_lock()) return false;
        begin_no_wait(kWhat);
        return true;
    }
    void unlock() {
        end_no_wait();
        mutex_.unlock();
    }
    void lock_shared() {
        mutex_.lock_shared();
        begin_no_wait(kWhat);
    }
    void unlock_shared() {
        end_no_wait();
        mutex_.unlock_shared();
    }

  private:
    static constexpr const char* kWhat = "the holder of a short mutex";
    Mutex mutex_;
};
using ShortMutex = BasicShortMutex<std::mutex>;
using ShortSharedMutex = BasicShortMutex<std::shared_mutex>;

// Its holder may wait and make progress. Neither handlers of messages nor holders of short mutexes
// take it.
class LongMutex {
  public:
    constexpr LongMutex() = default;
    void lock() {
        check_may_wait("the taker of a long mutex");
        mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }

  private:
    std::mutex mutex_;
};

}  // namespace tessera
