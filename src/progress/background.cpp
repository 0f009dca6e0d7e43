// SPDX-License-Identifier: BSD-3-Clause
//
// See background.hpp.
#include "progress/background.hpp"

#include <mutex>
#include <utility>

#include "base/wait_environment.hpp"
#include "core/address_map.hpp"
#include "core/pe_state.hpp"
#include "core/sync_copies.hpp"

namespace tessera {

namespace {

// Waits drive a fabric and copies in any case, and this work with them (drive_fabric(),
// drive_coherence()).
bool is_driven_anyway() { return address_map.fabric != nullptr || !memory_is_coherent(); }

}  // namespace

void BackgroundList::add(BackgroundWork& work, Operation& operation) {
    work.operation_ = &operation;
    operation.local.fetch_add(1, std::memory_order_relaxed);
    std::lock_guard guard(lock_);
    work.next_ = nullptr;
    *added_end_ = &work;
    added_end_ = &work.next_;
    if (count_.fetch_add(1, std::memory_order_relaxed) == 0 && !is_driven_anyway())
        set_progress_hook(advance_background);
}

void BackgroundList::advance() {
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
bool BackgroundList::is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

// The works stay in the order in which they were started: then those of two PEs meet.
void BackgroundList::take_added() {
    BackgroundWork** end = &first_;
    while (*end != nullptr) end = &(*end)->next_;
    std::lock_guard guard(lock_);
    *end = std::exchange(added_, nullptr);
    added_end_ = &added_;
}

void BackgroundList::finish(BackgroundWork& work) {
    Operation& operation = *work.operation_;
    work.release();
    {
        std::lock_guard guard(lock_);
        // Pairs with progress/background.cpp:is_empty.
        if (count_.fetch_sub(1, std::memory_order_release) == 1 && !is_driven_anyway())
            set_progress_hook(nullptr);
    }
    // Pairs with transports/operation.hpp:is_local.
    operation.local.fetch_sub(1, std::memory_order_release);
}

void start_background(BackgroundWork& work, Operation& operation) {
    pe_state.background->add(work, operation);
    pe_state.background->advance();
}
void advance_background() { pe_state.background->advance(); }

}  // namespace tessera
