// SPDX-License-Identifier: BSD-3-Clause
//
// See held_locks.hpp.
#include "core/held_locks.hpp"

#include "base/fatal.hpp"
#include "core/address_map.hpp"

namespace tessera {
namespace {

constexpr std::size_t kBucketsAtFirst = 64;

}  // namespace

HeldLocks::HeldLocks(bool is_shared, QueueNode* nodes)
    : is_shared_(is_shared), nodes_(nodes), entries_(kOnlyNode + 1), buckets_(kBucketsAtFirst, 0) {}

std::unique_lock<std::mutex> HeldLocks::guard() const {
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

HeldLocks::Found HeldLocks::find_slowly(const LockKey& key) const {
    const auto hold = guard();
    for (std::uint32_t i = bucket_of(key); i != 0; i = entries_[i].next) {
        if (entries_[i].key == key) return {.index = i, .use = entries_[i].use};
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

NodeName HeldLocks::add_slowly(const LockKey& key, LockUse use, const char* where) {
    const auto hold = guard();
    if (may_see_only(key.thread) && only_.key == key) return {};
    if (count_.load(std::memory_order_relaxed) == buckets_.size()) [[unlikely]]
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
    add_to_count(1);
    nodes_[index].reset(entry.generation);
    return {address_map.my_pe, index, entry.generation};
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
    add_to_count(-1);
}

}  // namespace tessera
