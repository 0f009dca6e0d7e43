// SPDX-License-Identifier: BSD-3-Clause
//
// Whether operations are under way that a flush must complete. Without them it has nothing to do.
//
// Threads flush at the same time, and none may return before its own operations are complete. So
// operations have numbers, and a thread says that they are complete only behind its quiet; a mark
// that it took away first would hide the others' operations from them.
#pragma once

#include <shmem.h>

#include <atomic>
#include <cstdint>

namespace tessera::dart {

class PendingOperations {
  public:
    // Behind the start of the operation: a quiet that comes after the number completes it.
    // Pairs with transfers/pending.hpp:complete.
    void note() { started_.fetch_add(1, std::memory_order_release); }

    // RETURNS when: all operations that the calling thread has noted are complete.
    void complete() {
        // Pairs with transfers/pending.hpp:note.
        const std::uint64_t started = started_.load(std::memory_order_acquire);
        // Another thread tells of its quiet below. Pairs with transfers/pending.hpp:complete.
        std::uint64_t first = completed_.load(std::memory_order_acquire);
        if (first < started) [[unlikely]] {
            shmem_quiet();
            // Pairs with transfers/pending.hpp:complete of another thread.
            while (first < started && !completed_.compare_exchange_weak(first, started)) {
            }
        }
    }

  private:
    std::atomic<std::uint64_t> started_{0};
    std::atomic<std::uint64_t> completed_{0};  // number of these that are complete, the first ones
};

// Their local side may not be complete: gets, long puts and fetching atomics to other nodes.
inline constinit PendingOperations pending;
// On mapped memory OpenSHMEM has left them to others (docs/run/progress.md).
inline constinit PendingOperations left_on_node;

// RETURNS when: the local side of all operations that the calling thread has started is complete.
inline void complete_pending() {
    left_on_node.complete();
    pending.complete();
}

}  // namespace tessera::dart
