// SPDX-License-Identifier: BSD-3-Clause
//
// See held_locks.hpp.
#include "locks/held_locks.hpp"

#include "base/fatal.hpp"
#include "core/address_map.hpp"

namespace tessera {
namespace {

constexpr std::size_t kBucketsAtFirst = 64;

}  // namespace

HeldLocks::HeldLocks(bool is_shared, QueueNode* nodes)
    : is_shared_(is_shared), nodes_(nodes), entries_(1), buckets_(kBucketsAtFirst, 0) {}

std::unique_lock<ShortMutex> HeldLocks::guard() const {
    std::unique_lock guard(lock_, std::defer_lock);
    if (is_shared_) guard.lock();
    return guard;
}

// Fibonacci hashing: locks lie at multiples of 8, and PEs are small numbers.
std::size_t HeldLocks::hash(const LockKey& key) const {
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(key.lock) / 8 +
                               static_cast<std::uint64_t>(key.pe) * 0x10001;
    return (bits * 0x9E3779B97F4A7C15U) >> 32 & (buckets_.size() - 1);
}
std::uint32_t& HeldLocks::bucket_of(const LockKey& key) { return buckets_[hash(key)]; }
std::uint32_t HeldLocks::bucket_of(const LockKey& key) const { return buckets_[hash(key)]; }

HeldLocks::Held HeldLocks::find_slowly(LockKey key) const {
    const auto hold = guard();
    for (std::uint32_t i = bucket_of(key); i != 0; i = entries_[i].next) {
        const Entry& entry = entries_[i];
        if (entry.key != key) continue;
        return {.name = NodeName(address_map.my_pe, i, entry.generation),
                .node = &nodes_[i],
                .use = entry.use};
    }
    return {};
}

std::uint32_t HeldLocks::take_node(const char* where) {
    const std::uint32_t free = first_free_;
    if (free != 0) {
        first_free_ = entries_[free].next;
        return free;
    }
    if (entries_.size() == kQueueNodes) {
        fatal("%s: this PE holds or waits for %u locks, as many as one PE can; unlock some first",
              where, kQueueNodes - 1);
    }
    entries_.emplace_back();
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

void HeldLocks::grow() {
    const std::vector<std::uint32_t> old = std::move(buckets_);
    buckets_.assign(2 * old.size(), 0);
    for (std::uint32_t i : old) {
        while (i != 0) {
            const std::uint32_t next = entries_[i].next;
            std::uint32_t& bucket = bucket_of(entries_[i].key);
            entries_[i].next = bucket;
            bucket = i;
            i = next;
        }
    }
}

// RETURNS: whether the thread has got a free slot with its node. REQUIRES: the mutex, where it is
// in use.
bool HeldLocks::claim(OwnerSlot& slot, std::uint64_t thread, const char* where) {
    if (slot.owner.load(std::memory_order_relaxed) != 0) return false;
    const std::uint32_t index = take_node(where);
    slot.node = &nodes_[index];
    slot.name = NodeName(address_map.my_pe, index, entries_[index].generation);
    // Relaxed: other threads learn from it that the slot is not theirs, and nothing else.
    slot.owner.store(OwnerSlot::mark_of(thread), std::memory_order_relaxed);
    return true;
}

// The owner holds more or fewer locks by the table.
void HeldLocks::count_others(std::uint64_t thread, int difference) {
    count_ += static_cast<std::size_t>(difference);
    OwnerSlot& slot = slot_of(thread);
    if (slot.is_of(thread)) slot.others += static_cast<std::uint32_t>(difference);
}

HeldLocks::Held HeldLocks::add_slowly(LockKey key, LockUse use, const char* where) {
    const auto hold = guard();
    OwnerSlot& slot = slot_of(key.thread);
    if (claim(slot, key.thread, where)) return fill(slot, key, use);
    if (slot.is_of(key.thread) && slot.lock == key.lock && slot.pe == key.pe) return {};
    if (count_ == buckets_.size()) [[unlikely]]
        grow();
    std::uint32_t& bucket = bucket_of(key);
    for (std::uint32_t i = bucket; i != 0; i = entries_[i].next) {
        if (entries_[i].key == key) return {};
    }
    const std::uint32_t index = take_node(where);
    Entry& entry = entries_[index];
    entry.key = key;
    entry.next = bucket;
    entry.generation = (entry.generation + 1) % NodeName::kGenerations;
    entry.use = use;
    bucket = index;
    count_others(key.thread, 1);
    nodes_[index].reset();
    return {.name = NodeName(address_map.my_pe, index, entry.generation),
            .node = &nodes_[index],
            .use = use};
}

void HeldLocks::remove_slowly(std::uint32_t index) {
    const auto hold = guard();
    Entry& entry = entries_[index];
    nodes_[index].mark_free(entry.generation);
    std::uint32_t* link = &bucket_of(entry.key);
    while (*link != index) link = &entries_[*link].next;
    *link = entry.next;
    entry.next = first_free_;
    first_free_ = index;
    count_others(entry.key.thread, -1);
    entry.key = {};
}

}  // namespace tessera
