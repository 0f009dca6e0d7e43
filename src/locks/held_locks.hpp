// SPDX-License-Identifier: BSD-3-Clause
//
// The locks that this PE holds or waits for (locks/mutex.hpp, locks/rwlock.hpp), and the pool of
// its queue nodes: a hash table from a lock to its node. Private to the PE, so a program that
// writes astray cannot damage it. Hot path.
//
// The owner of a lock is the PE, or with SHMEM_THREAD_MULTIPLE the thread: two threads of a PE may
// then contend for a lock, each with a node of its own.
//
// Most owners hold one lock at a time. Each owner has a slot for a lock that it takes while it has
// no other one, with a node of its own, and the table is not looked at. An owner claims its slot
// when it takes its first lock and keeps it, so that a lock costs no atomic operation here: only
// the owner reads and writes the rest of a slot. Where two owners fall on one slot, the second
// one uses the table, which has a mutex.
// COST: O(1); memory is allocated only when more locks are held at once than ever before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/mutexes.hpp"
#include "core/pe_state.hpp"
#include "locks/queue_node.hpp"

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

    // Whether threads own locks, not the PE.
    bool is_shared() const { return is_shared_; }

    // A lock that the caller has or waits for, and its node.
    struct Held {
        NodeName name;  // name of the node; none: the caller does not have the lock
        QueueNode* node = nullptr;
        LockUse use = LockUse::kMutex;
    };
    TESSERA_INLINE Held find(const LockKey& key) const {
        const OwnerSlot& slot = slot_of(key.thread);
        if (slot.is_of(key.thread) && slot.lock == key.lock && slot.pe == key.pe) [[likely]]
            return {.name = slot.name, .node = slot.node, .use = slot.use};
        return find_slowly(key);
    }

    // Notes that the caller has the lock or waits for it, and gives it a node: no other node is
    // behind it, and it has not been granted the lock. The caller sets the node's state before
    // other PEs can learn its name. RETURNS: no name: the caller has the lock or waits for it
    // already. Too many locks end the job; `where` names the routine.
    TESSERA_INLINE Held add(const LockKey& key, LockUse use, const char* where) {
        OwnerSlot& slot = slot_of(key.thread);
        if (slot.is_of(key.thread) && slot.lock == nullptr && slot.others == 0) [[likely]]
            return fill(slot, key, use);
        return add_slowly(key, use, where);
    }
    // The lock is given back; no other PE knows the name of the caller's node any more.
    TESSERA_INLINE void remove(const LockKey& key, NodeName name) {
        OwnerSlot& slot = slot_of(key.thread);
        if (slot.is_of(key.thread) && slot.name == name) [[likely]] {
            slot.node->mark_free(name.generation());
            slot.lock = nullptr;
            return;
        }
        remove_slowly(name.index());
    }

    // For osh_hang: calls visit(key, use, index of the node) for each lock of the object at
    // `address` in another process. `read(address, to, bytes)` copies its bytes, and says whether
    // it could. The locks change meanwhile.
    template <class Read, class Visit>
    static void visit_in(std::uint64_t address, const Read& read, const Visit& visit);

  private:
    struct Entry {
        LockKey key;                   // no lock: not in use
        std::uint32_t next = 0;        // in the chain of its bucket, or of the free ones; 0: last
        std::uint32_t generation = 0;  // counts the uses of the node
        LockUse use = LockUse::kMutex;
    };
    // A slot, and the lock in it.
    struct alignas(kCacheLineBytes) OwnerSlot {
        std::atomic<std::uint64_t> owner{0};  // mark_of() a thread; 0: none yet
        void* lock = nullptr;                 // nullptr: none
        QueueNode* node = nullptr;            // the node of this slot
        NodeName name;                        // the node's name in its last use
        int pe = 0;
        std::uint32_t others = 0;  // locks of the owner in the table
        LockUse use = LockUse::kMutex;

        static std::uint64_t mark_of(std::uint64_t thread) {
            return thread | std::uint64_t{1} << 63;
        }
        // Relaxed: a thread finds its own mark only if it has written it.
        bool is_of(std::uint64_t thread) const {
            return owner.load(std::memory_order_relaxed) == mark_of(thread);
        }
    };
    static constexpr std::size_t kSlots = 64;

    OwnerSlot& slot_of(std::uint64_t thread) { return slots_[thread % kSlots]; }
    const OwnerSlot& slot_of(std::uint64_t thread) const { return slots_[thread % kSlots]; }
    TESSERA_INLINE static Held fill(OwnerSlot& slot, const LockKey& key, LockUse use);
    // Keys by value, so that the fast paths keep theirs in registers.
    Held find_slowly(LockKey key) const;
    Held add_slowly(LockKey key, LockUse use, const char* where);
    void remove_slowly(std::uint32_t index);
    bool claim(OwnerSlot& slot, std::uint64_t thread, const char* where);
    void count_others(std::uint64_t thread, int difference);
    std::unique_lock<ShortMutex> guard() const;
    std::uint32_t& bucket_of(const LockKey& key);
    std::uint32_t bucket_of(const LockKey& key) const;
    std::size_t hash(const LockKey& key) const;
    std::uint32_t take_node(const char* where);
    void grow();

    bool is_shared_;
    QueueNode* nodes_;
    OwnerSlot slots_[kSlots];
    mutable ShortMutex lock_;             // held for a few instructions; unused unless is_shared_
    std::vector<Entry> entries_;          // by the node's index; the first one is not used
    std::vector<std::uint32_t> buckets_;  // a power of two; first entry of each chain, 0: none
    std::uint32_t first_free_ = 0;
    std::size_t count_ = 0;  // locks in the table
};

inline HeldLocks::Held HeldLocks::fill(OwnerSlot& slot, const LockKey& key, LockUse use) {
    slot.lock = key.lock;
    slot.pe = key.pe;
    slot.use = use;
    slot.name = slot.name.next_use();
    slot.node->reset();
    return {.name = slot.name, .node = slot.node, .use = use};
}

template <class Read, class Visit>
void HeldLocks::visit_in(std::uint64_t address, const Read& read, const Visit& visit) {
    alignas(HeldLocks) char bytes[sizeof(HeldLocks)];
    if (!read(address, bytes, sizeof bytes)) return;
    const auto& copy = *reinterpret_cast<const HeldLocks*>(bytes);  // its pointers are the other's
    for (const OwnerSlot& slot : copy.slots_) {
        if (slot.lock == nullptr) continue;
        visit(LockKey{.lock = slot.lock, .pe = slot.pe}, slot.use, slot.name.index());
    }
    const auto entries = reinterpret_cast<std::uint64_t>(copy.entries_.data());
    const std::size_t count = copy.entries_.size();
    for (std::size_t i = 1; i < count && i < kQueueNodes; ++i) {
        Entry entry;
        if (!read(entries + i * sizeof entry, &entry, sizeof entry)) return;
        if (entry.key.lock != nullptr) visit(entry.key, entry.use, static_cast<std::uint32_t>(i));
    }
}

// The locks that this PE holds. REQUIRES: between init and finalize.
TESSERA_INLINE HeldLocks& held_locks() { return *pe_state.held_locks; }

}  // namespace tessera
