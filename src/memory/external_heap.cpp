// SPDX-License-Identifier: BSD-3-Clause
//
// See external_heap.hpp.
#include "memory/external_heap.hpp"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/mutexes.hpp"

namespace tessera {
namespace {

ShortSharedMutex& heaps_lock = *new ShortSharedMutex;
auto& heaps = *new std::map<std::uintptr_t, ExternalHeap>;  // by base
std::atomic<bool> has_heaps{false};

}  // namespace

// Pairs with memory/external_heap.cpp:add_external_heap.
const ExternalHeap* find_external_heap(const void* address, std::size_t bytes) {
    if (!has_heaps.load(std::memory_order_acquire)) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    std::shared_lock guard(heaps_lock);
    const auto next = heaps.upper_bound(start);
    if (next == heaps.begin()) return nullptr;
    const ExternalHeap& heap = std::prev(next)->second;
    const std::size_t offset = start - heap.base;
    return offset < heap.bytes && bytes <= heap.bytes - offset ? &heap : nullptr;
}

bool overlaps_external_heap(std::uintptr_t start, std::size_t bytes) {
    std::shared_lock guard(heaps_lock);
    const auto next = heaps.lower_bound(start + bytes);
    if (next == heaps.begin()) return false;
    const ExternalHeap& heap = std::prev(next)->second;
    return start < heap.base + heap.bytes;
}

void add_external_heap(const ExternalHeap& heap) {
    std::unique_lock guard(heaps_lock);
    heaps.emplace(heap.base, heap);
    // Pairs with memory/external_heap.cpp:find_external_heap.
    has_heaps.store(true, std::memory_order_release);
}

void forget_external_heaps() {
    std::unique_lock guard(heaps_lock);
    has_heaps.store(false, std::memory_order_relaxed);
    heaps.clear();
}

}  // namespace tessera
