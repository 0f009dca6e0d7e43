// SPDX-License-Identifier: BSD-3-Clause
//
// One PE's instance of a mutex (include/shmemx/mutex.h). A queue lock, MCS: the mutex is a word
// with the name of the last node in its queue (core/queue_node.hpp), 0 while it is free. Each PE
// in the queue waits on its own node and is served in the order in which the PEs joined.
// COST on the PE of the instance: lock: one swap, or one or two compare-and-swaps in a program that
// survives failures, more while others join; unlock: one compare-and-swap. A PE that waits
// tells the node before it, and is told by it: one message each between nodes.
#pragma once

#include <cstdint>

#include "core/coherence.hpp"
#include "core/context.hpp"
#include "core/held_locks.hpp"

namespace tessera {

[[noreturn]] TESSERA_COLD void fail_too_many_pes(const char* where);
// Ends the job unless the instance can be that of a lock of `bytes` bytes.
inline void check_lock(const void* lock, std::size_t bytes, int pe, const char* where) {
    check_pe(pe, where);
    if (address_map.npes > NodeName::kPesMax) [[unlikely]]
        fail_too_many_pes(where);
    if (!address_map.contains(lock, bytes)) [[unlikely]]
        fail_address(lock, bytes, where);
    if (reinterpret_cast<std::uintptr_t>(lock) % sizeof(std::uint64_t) != 0) [[unlikely]]
        fail_alignment(lock, sizeof(std::uint64_t), where);
}

class Mutex {
  public:
    // `thread`: of the caller, 0 where the PE owns its locks. `where` names the public routine.
    Mutex(std::uint64_t* word, int pe, std::uint64_t thread, const char* where)
        : key_{.lock = word, .pe = pe, .thread = thread}, where_(where) {
        check_lock(word, sizeof *word, pe, where);
    }

    // RETURNS when: the caller holds the mutex and sees what the last holder completed. A caller
    // that has it already ends the job.
    void lock();
    // RETURNS: whether the caller, which did not have the mutex, has it now.
    bool try_lock();
    // Completes the caller's operations on the default context first. A caller that does not hold
    // the mutex ends the job.
    void unlock();
    // The PE that held it at some time during the call; -1: it was free.
    int owner();

  private:
    NodeName join(NodeName node);
    void wait_behind(NodeName before, NodeName node);
    void hand_over(NodeName name, const QueueNode& node);
    NodeName find_unlinked_successor(NodeName mine);
    int holder_at_or_before(NodeName node);
    [[noreturn]] TESSERA_COLD void fail_recursive() const;
    [[noreturn]] TESSERA_COLD void fail_not_held();

    std::uint64_t* word() const { return static_cast<std::uint64_t*>(key_.lock); }
    // Atomics on the word. No PE sleeps on it, so mapped ones look for no sleeper to wake.
    TESSERA_INLINE std::uint64_t swap(std::uint64_t value) const {
        if (std::uint64_t* mapped = mapped_word()) [[likely]]
            return std::atomic_ref(*mapped).exchange(value);
        return default_context.swap(word(), value, key_.pe, where_);
    }
    TESSERA_INLINE std::uint64_t compare_swap(std::uint64_t condition, std::uint64_t value) const {
        if (std::uint64_t* mapped = mapped_word()) [[likely]] {
            std::atomic_ref(*mapped).compare_exchange_strong(condition, value);
            return condition;
        }
        return default_context.compare_swap(word(), condition, value, key_.pe, where_);
    }
    // Atomics that a session holds back come first, as with the operations of the context.
    TESSERA_INLINE std::uint64_t* mapped_word() const {
        default_context.perform_held();
        return reinterpret_cast<std::uint64_t*>(address_map.mapped(word(), key_.pe));
    }

    LockKey key_;
    const char* where_;
};

// Before a lock is given back: completes the operations of the default context, so that the next
// holder sees them. COST: a load where all memory is mapped, because the atomics that give the lock
// back release.
inline void complete_before_unlock() {
    if (address_map.needs_transport) [[unlikely]]
        default_context.quiet();
}
// After a lock was obtained. Acquire: loads of data that a transport brought come after
// it.
inline void acquire_after_lock() {
    std::atomic_thread_fence(std::memory_order_acquire);
    perform_duty(SyncPoint::kLockTaken);
}

}  // namespace tessera
