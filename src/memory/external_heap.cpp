// SPDX-License-Identifier: BSD-3-Clause
//
// See external_heap.hpp.
#include "memory/external_heap.hpp"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/mutexes.hpp"
#include "core/pe_state.hpp"

namespace tessera {

struct ExternalHeaps {
    ShortSharedMutex lock;
    std::map<std::uintptr_t, ExternalHeap> by_base;

    // The last one that begins before `end`, or nullptr. REQUIRES: the lock.
    const ExternalHeap* last_before(std::uintptr_t end) const {
        const auto next = by_base.lower_bound(end);
        return next != by_base.begin() ? &std::prev(next)->second : nullptr;
    }
};

namespace {

// nullptr: there are none. Pairs with memory/external_heap.cpp:add_external_heap.
ExternalHeaps* external_heaps() {
    return std::atomic_ref(pe_state.external_heaps).load(std::memory_order_acquire);
}

}  // namespace

const ExternalHeap* find_external_heap(const void* address, std::size_t bytes) {
    ExternalHeaps* const heaps = external_heaps();
    if (heaps == nullptr) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    std::shared_lock guard(heaps->lock);
    const ExternalHeap* heap = heaps->last_before(start + 1);
    if (heap == nullptr) return nullptr;
    const std::size_t offset = start - heap->base;
    return offset < heap->bytes && bytes <= heap->bytes - offset ? heap : nullptr;
}

bool overlaps_external_heap(std::uintptr_t start, std::size_t bytes) {
    ExternalHeaps* const heaps = external_heaps();
    if (heaps == nullptr) return false;
    std::shared_lock guard(heaps->lock);
    const ExternalHeap* heap = heaps->last_before(start + bytes);
    return heap != nullptr && start < heap->base + heap->bytes;
}

void add_external_heap(const ExternalHeap& heap) {
    ExternalHeaps* heaps = external_heaps();
    if (heaps == nullptr) heaps = new ExternalHeaps;
    std::unique_lock guard(heaps->lock);
    heaps->by_base.emplace(heap.base, heap);
    // Pairs with memory/external_heap.cpp:external_heaps.
    std::atomic_ref(pe_state.external_heaps).store(heaps, std::memory_order_release);
}

void forget_external_heaps() { delete std::exchange(pe_state.external_heaps, nullptr); }

}  // namespace tessera
