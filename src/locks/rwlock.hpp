// SPDX-License-Identifier: BSD-3-Clause
//
// One PE's instance of a reader-writer lock (include/shmemx/mutex.h). First come, first served:
// readers that follow each other in the queue share the lock, and no reader passes a writer that
// came before it.
//
//   state    place of the last node in the queue (PE 20 bits, index 18) | a writer drains (1) |
//            readers inside (25)
//   drainer  name of the node of that writer
//
// A reader enters when there is no queue, and leaves no node behind: only its count. All others
// queue as for a mutex. A reader at the head of the queue enters and passes the head on at once. A
// writer at the head stays there: it waits until the readers have left (the last one tells it),
// writes, and passes the head on when it unlocks.
// COST on the PE of the instance, without contention: one compare-and-swap to lock, one atomic to
// unlock, for readers and writers.
#pragma once

#include <cstdint>

#include "locks/mutex.hpp"

namespace tessera {

// As the program declares it.
struct RwLockWords {
    std::uint64_t state;
    std::uint64_t drainer;
};

class RwLock {
  public:
    // As Mutex. REQUIRES: check_lock().
    RwLock(RwLockWords* words, int pe, std::uint64_t thread, const char* where);

    void lock(LockUse use);
    bool try_lock(LockUse use);
    void unlock(LockUse use);

  private:
    NodeName prepare(LockUse use);
    std::uint64_t join(NodeName node, LockUse use);
    void drain_readers(NodeName node);
    void pass_head_on(NodeName node, std::uint64_t state_at_head);
    void leave_as_reader();
    std::uint64_t change_state(std::uint64_t from, std::uint64_t to) {
        return default_context.compare_swap(&words_->state, from, to, key_.pe, where_);
    }
    [[noreturn]] TESSERA_COLD void fail_held_already() const;
    HeldLocks::Held find_held(LockUse use) const;

    RwLockWords* words_;
    LockKey key_;
    const char* where_;
};

}  // namespace tessera
