// SPDX-License-Identifier: BSD-3-Clause
//
// See background.hpp.
#include "progress/background.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/mutexes.hpp"
#include "base/wait_environment.hpp"
#include "core/address_map.hpp"
#include "core/sync_copies.hpp"

namespace tessera {

class BackgroundList {
  public:
    void add(BackgroundWork& work, Operation& operation) {
        work.operation_ = &operation;
        operation.local.fetch_add(1, std::memory_order_relaxed);
        {
            std::lock_guard guard(lock_);
            work.next_ = added_;
            added_ = &work;
            if (count_.fetch_add(1, std::memory_order_relaxed) == 0 && !is_driven_anyway()) {
                set_progress_hook(advance_background);
            }
        }
    }

    void advance() {
        // Relaxed: a thread that adds work advances it itself.
        if (count_.load(std::memory_order_relaxed) == 0) [[likely]]
            return;
        // Works see what the last driver has done. Pairs with progress/background.cpp:advance.
        if (is_driven_.test_and_set(std::memory_order_acquire)) return;
        take_added();
        for (BackgroundWork** link = &first_; *link != nullptr;) {
            BackgroundWork& work = **link;
            if (!work.advance()) {
                link = &work.next_;
                continue;
            }
            *link = work.next_;
            finish(work);
        }
        // Pairs with progress/background.cpp:advance of the next driver.
        is_driven_.clear(std::memory_order_release);
    }

    // Pairs with progress/background.cpp:finish.
    bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

  private:
    // Waits drive a fabric and copies in any case, and this work with them (drive_fabric(),
    // drive_coherence()).
    static bool is_driven_anyway() {
        return address_map.fabric != nullptr || !memory_is_coherent();
    }
    // The works in the order in which they were started: then those of two PEs meet.
    void take_added() {
        BackgroundWork* taken = nullptr;
        {
            std::lock_guard guard(lock_);
            taken = added_;
            added_ = nullptr;
        }
        BackgroundWork* oldest = nullptr;
        while (taken != nullptr) {
            BackgroundWork* next = taken->next_;
            taken->next_ = oldest;
            oldest = taken;
            taken = next;
        }
        BackgroundWork** end = &first_;
        while (*end != nullptr) end = &(*end)->next_;
        *end = oldest;
    }

    void finish(BackgroundWork& work) {
        Operation& operation = *work.operation_;
        work.release();
        {
            std::lock_guard guard(lock_);
            // Pairs with progress/background.cpp:is_empty.
            if (count_.fetch_sub(1, std::memory_order_release) == 1 && !is_driven_anyway()) {
                set_progress_hook(nullptr);
            }
        }
        // Pairs with transports/operation.hpp:is_local.
        operation.local.fetch_sub(1, std::memory_order_release);
    }

    ShortMutex lock_;                  // guards added_ and the hook; held for a few instructions
    BackgroundWork* added_ = nullptr;  // a chain, the newest first
    BackgroundWork* first_ = nullptr;  // a chain, the oldest first; of the driver
    std::atomic<std::uint32_t> count_{0};
    std::atomic_flag is_driven_;
};

namespace {

constinit BackgroundList works;

}  // namespace

void start_background(BackgroundWork& work, Operation& operation) {
    works.add(work, operation);
    works.advance();
}
void add_background(BackgroundWork& work, Operation& operation) { works.add(work, operation); }
void advance_background() { works.advance(); }
bool has_background() { return !works.is_empty(); }

}  // namespace tessera
