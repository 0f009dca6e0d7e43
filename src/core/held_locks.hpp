// SPDX-License-Identifier: BSD-3-Clause
//
// The locks that this PE holds or waits for (core/mutex.hpp, core/rwlock.hpp), and the pool of its
// queue nodes: a hash table from a lock to its node. Private to the PE, so a program that writes
// astray cannot damage it. Hot path.
//
// Most PEs hold one lock at a time. The first lock that a PE takes while it has none is kept in
// `only_`, with a node of its own, and the table is not looked at.
//
// The owner of a lock is the PE, or with SHMEM_THREAD_MULTIPLE the thread: two threads of a PE may
// then contend for a lock, each with a node of its own. `only_` then belongs to the thread that has
// claimed it, by one atomic operation; the table has a mutex.
// COST: O(1); memory is allocated only when more locks are held at once than ever before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/address_map.hpp"
#include "core/queue_node.hpp"

namespace tessera {

// The instance of a lock, and its owner.
struct LockKey {
    void* lock = nullptr;      // symmetric
    int pe = 0;                // whose instance
    std::uint64_t thread = 0;  // 0: the PE as a whole
    bool operator==(const LockKey&) const = default;
};

// How the owner has the lock.
enum class LockUse : std::uint8_t { kMutex, kReading, kWriting };

class HeldLocks {
  public:
    // `is_shared`: several threads call at the same time. `nodes`: of this PE.
    HeldLocks(bool is_shared, QueueNode* nodes);

    struct Found {
        std::uint32_t index = 0;  // of the node; 0: the caller does not have the lock
        LockUse use = LockUse::kMutex;
    };
    Found find(const LockKey& key) const {
        if (may_see_only(key.thread) && only_.key == key) [[likely]]
            return {.index = kOnlyNode, .use = only_.use};
        return find_slowly(key);
    }

    // Notes that the caller has the lock or waits for it, and gives it a node, which is reset and
    // kJoining. RETURNS: its name; none: the caller has the lock or waits for it already. Too many
    // locks end the job; `where` names the routine.
    NodeName add(const LockKey& key, LockUse use, const char* where) {
        if (count_.load(std::memory_order_relaxed) == 0 && claim_only(key.thread)) [[likely]]
            return add_only(key, use);
        return add_slowly(key, use, where);
    }
    // The lock is given back; no other PE knows the node's name any more.
    void remove(std::uint32_t index) {
        if (index == kOnlyNode) [[likely]]
            return remove_only();
        remove_slowly(index);
    }

    QueueNode& node(std::uint32_t index) { return nodes_[index]; }

  private:
    struct Entry {
        LockKey key;
        std::uint32_t next = 0;        // in the chain of its bucket, or of the free ones; 0: last
        std::uint32_t generation = 0;  // of the node's use
        LockUse use = LockUse::kMutex;
    };
    static constexpr std::uint32_t kOnlyNode = 1;

    // With shared locks the thread that has claimed only_ is the one that may look at it.
    static std::uint64_t mark_of(std::uint64_t thread) { return thread | std::uint64_t{1} << 63; }
    bool may_see_only(std::uint64_t thread) const {
        return !is_shared_ || only_owner_.load(std::memory_order_relaxed) == mark_of(thread);
    }
    // Acquire: pairs with the release of remove_only() in the thread before.
    bool claim_only(std::uint64_t thread) {
        std::uint64_t free = 0;
        return !is_shared_ ||
               only_owner_.compare_exchange_strong(free, mark_of(thread), std::memory_order_acquire,
                                                   std::memory_order_relaxed);
    }
    TESSERA_INLINE NodeName add_only(const LockKey& key, LockUse use);
    TESSERA_INLINE void remove_only();
    Found find_slowly(const LockKey& key) const;
    NodeName add_slowly(const LockKey& key, LockUse use, const char* where);
    void remove_slowly(std::uint32_t index);
    std::unique_lock<std::mutex> guard() const;
    std::uint32_t& bucket_of(const LockKey& key);
    std::uint32_t bucket_of(const LockKey& key) const;
    std::size_t hash(const LockKey& key) const;
    // REQUIRES: the mutex, where it is in use. A locked addition would cost as much as a lock.
    void add_to_count(int difference) {
        count_.store(count_.load(std::memory_order_relaxed) + static_cast<std::size_t>(difference),
                     std::memory_order_relaxed);
    }
    std::uint32_t take_node(const char* where);
    void grow();

    mutable std::mutex lock_;  // held for a few instructions; unused unless is_shared_
    bool is_shared_;
    QueueNode* nodes_;
    Entry only_;                                // of node kOnlyNode; a null lock: not in use
    std::atomic<std::uint64_t> only_owner_{0};  // shared: the mark of a thread, 0: none
    std::vector<Entry> entries_;                // by the node's index; the first two are not used
    std::vector<std::uint32_t> buckets_;  // a power of two; first entry of each chain, 0: none
    std::uint32_t first_free_ = 0;
    // Locks that are held or waited for; without only_ if the locks are shared. Relaxed: a thread
    // sees its own entries, and does not ask for those of others.
    std::atomic<std::size_t> count_{0};
};

// Member by member: the caller has just stored them one by one, and a wider load of two of them
// would wait until both have left the store buffer.
inline NodeName HeldLocks::add_only(const LockKey& key, LockUse use) {
    only_.key.lock = key.lock;
    only_.key.pe = key.pe;
    only_.key.thread = key.thread;
    only_.use = use;
    only_.generation = (only_.generation + 1) % NodeName::kGenerations;
    if (!is_shared_) count_.store(1, std::memory_order_relaxed);
    nodes_[kOnlyNode].reset(only_.generation);
    return {address_map.my_pe, kOnlyNode, only_.generation};
}

inline void HeldLocks::remove_only() {
    nodes_[kOnlyNode].mark_free(only_.generation);
    only_.key.lock = nullptr;
    if (!is_shared_) {
        add_to_count(-1);
    } else {
        only_owner_.store(0, std::memory_order_release);
    }
}

// The locks that this PE holds. REQUIRES: between init and finalize.
HeldLocks& held_locks();

}  // namespace tessera
