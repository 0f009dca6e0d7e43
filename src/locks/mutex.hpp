// SPDX-License-Identifier: BSD-3-Clause
//
// One PE's instance of a mutex (include/shmemx/mutex.h). A queue lock, MCS: the mutex is a word
// with the name of the last node in its queue (locks/queue_node.hpp), 0 while it is free. Each PE
// in the queue waits on its own node and is served in the order in which the PEs joined. Hot path:
// a free mutex that is mapped.
// COST on the PE of the instance: lock: one swap, or one to three compare-and-swaps in a program
// that survives failures; unlock: one compare-and-swap, or none where a PE waits. A PE that waits
// tells the node before it, and is told by it: one message each between nodes.
#pragma once

#include <cstdint>

#include "base/failures.hpp"
#include "core/context.hpp"
#include "core/sync_copies.hpp"
#include "locks/held_locks.hpp"
#include "locks/lock_queue.hpp"

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

// Hot path: the compiler keeps a mutex in registers, because it goes to the slow paths by value.
class Mutex {
  public:
    // `thread`: of the caller, 0 where the PE owns its locks. `where` names the public routine.
    // REQUIRES: `mapped` is the word as this PE loads it; nullptr: only a transport reaches it.
    TESSERA_INLINE Mutex(const LockKey& key, std::uint64_t* mapped, const char* where)
        : key_(key), mapped_(mapped), where_(where) {}

    // The mapped word of an instance; nullptr: it has none, or cannot be that of a lock.
    TESSERA_INLINE static std::uint64_t* mapped_word(const void* word, int pe) {
        char* mapped = address_map.mapped(word, pe);
        const bool is_usual =
            reinterpret_cast<std::uintptr_t>(mapped) % sizeof(std::uint64_t) == 0 &&
            address_map.npes <= NodeName::kPesMax;
        return is_usual ? reinterpret_cast<std::uint64_t*>(mapped) : nullptr;
    }

    // RETURNS when: the caller holds the mutex and sees what the last holder completed. A caller
    // that has it already ends the job.
    TESSERA_INLINE void lock() const;
    // RETURNS: whether the caller, which did not have the mutex, has it now; 2: it inherits it.
    TESSERA_INLINE int try_lock() const;
    // Completes the caller's operations on the default context first. A caller that does not hold
    // the mutex ends the job.
    TESSERA_INLINE void unlock() const;
    // As unlock(), but the next holder is to know that this one has failed with the mutex.
    void abandon() const;
    // Whether the last holder died with the mutex or abandoned it. REQUIRES: the caller holds it.
    bool is_inherited() const;
    // The PE that held it at some time during the call; -1: it was free.
    int owner() const;

  private:
    // Puts the node at the end of the queue. RETURNS: the node before it; none: the mutex was free.
    // By a swap, though a compare-and-swap would do for a free mutex: where PEs contend, a failed
    // one lets the line of the word go, and the swap fetches it again.
    TESSERA_INLINE NodeName join(const HeldLocks::Held& held) const {
        if (survives_failures()) [[unlikely]]
            return join_in_sight(*this, held.name);
        held.node->set_state(NodeState(held.name.generation(), StateKind::kJoining));
        const NodeName before(swap(held.name.bits()));
        if (before.is_none()) [[likely]]
            held.node->set_state(NodeState(held.name.generation(), StateKind::kHolder));
        return before;
    }
    static NodeName join_in_sight(Mutex mutex, NodeName node);
    static void wait_behind(Mutex mutex, NodeName before, NodeName node);
    static void give_up(Mutex mutex, NodeName node);
    static void hand_over(Mutex mutex, NodeName node, std::uint32_t grant = kGranted);
    static bool inherit(Mutex mutex, NodeName last, NodeName node);
    NodeName find_unlinked_successor(NodeName mine) const;
    int holder_at_or_before(NodeName node) const;
    [[noreturn]] TESSERA_COLD static void fail_recursive(Mutex mutex);
    [[noreturn]] TESSERA_COLD static void fail_not_held(Mutex mutex);

    std::uint64_t* word() const { return static_cast<std::uint64_t*>(key_.lock); }
    // Atomics on the word. No PE sleeps on it, so mapped ones look for no sleeper to wake. Pairs
    // with locks/mutex.hpp:swap and locks/mutex.hpp:compare_swap of the other PEs.
    TESSERA_INLINE std::uint64_t swap(std::uint64_t value) const {
        if (mapped_ != nullptr) [[likely]]
            return std::atomic_ref(*mapped_).exchange(value);
        const NoCancellationPoint not_in_the_queue;
        return default_context.swap(word(), value, key_.pe, where_);
    }
    TESSERA_INLINE std::uint64_t compare_swap(std::uint64_t condition, std::uint64_t value) const {
        if (mapped_ != nullptr) [[likely]] {
            // Pairs with locks/mutex.hpp:swap and locks/mutex.hpp:compare_swap.
            std::atomic_ref(*mapped_).compare_exchange_strong(condition, value);
            return condition;
        }
        const NoCancellationPoint not_in_the_queue;
        return default_context.compare_swap(word(), condition, value, key_.pe, where_);
    }

    LockKey key_;
    std::uint64_t* mapped_;
    const char* where_;
};

// Before a lock is given back: completes the operations of the default context, so that the next
// holder sees them. COST: a load where all memory is mapped, because the atomics that give the lock
// back release.
inline void complete_before_unlock() {
    if (address_map.needs_completion()) [[unlikely]] {
        const NoCancellationPoint not_with_the_lock;
        default_context.quiet();
    }
}
// After a lock was obtained: loads of data that a transport brought come behind it. Pairs with
// core/context.hpp:quiet.
inline void acquire_after_lock() {
    std::atomic_thread_fence(std::memory_order_acquire);
    sync_copies(SyncPoint::kLockTaken);
}

TESSERA_INLINE void Mutex::lock() const {
    const HeldLocks::Held held = held_locks().add(key_, LockUse::kMutex, where_);
    if (held.name.is_none()) [[unlikely]]
        fail_recursive(*this);
    const NodeName before = join(held);
    if (!before.is_none()) [[unlikely]]
        wait_behind(*this, before, held.name);
    acquire_after_lock();
}

TESSERA_INLINE int Mutex::try_lock() const {
    const HeldLocks::Held held = held_locks().add(key_, LockUse::kMutex, where_);
    if (held.name.is_none()) [[unlikely]]
        return 0;
    // The node tells its place before the mutex does: if this PE dies, the others know the place.
    held.node->set_state(NodeState(held.name.generation(), StateKind::kHolder));
    const NodeName last(compare_swap(0, held.name.bits()));
    if (!last.is_none()) [[unlikely]] {
        if (inherit(*this, last, held.name)) {
            acquire_after_lock();
            return 2;
        }
        give_up(*this, held.name);
        return 0;
    }
    acquire_after_lock();
    return 1;
}

// Where PEs contend, those behind this one have taken the lines of the word and of its node. Both
// come at the same time by the prefetches: the atomics below, and that of the next lock(), would
// fetch one after the other.
TESSERA_INLINE void Mutex::unlock() const {
    if (mapped_ != nullptr) [[likely]]
        prefetch_to_write(mapped_);
    HeldLocks& all = held_locks();
    const HeldLocks::Held held = all.find(key_);
    if (held.name.is_none()) [[unlikely]]
        fail_not_held(*this);
    prefetch_to_write(held.node);
    complete_before_unlock();
    const NodeName next = successor_of(*held.node);
    if (!next.is_none()) [[unlikely]] {
        open_granted(next);
    } else if (compare_swap(held.name.bits(), 0) != held.name.bits()) [[unlikely]] {
        hand_over(*this, held.name);
    }
    all.remove(key_, held.name);
}

}  // namespace tessera
