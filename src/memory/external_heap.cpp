// SPDX-License-Identifier: BSD-3-Clause
//
// See external_heap.hpp.
#include "memory/external_heap.hpp"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/fatal.hpp"
#include "base/mutexes.hpp"
#include "memory/segments.hpp"

namespace tessera {
namespace {

ShortSharedMutex& heaps_lock = *new ShortSharedMutex;
auto& heaps = *new std::map<std::uintptr_t, ExternalHeap>;  // by base
// The release of add_external_heap pairs with the acquire of find_external_heap.
std::atomic<bool> has_heaps{false};

}  // namespace

char* ExternalHeap::mapped(const void* address, int pe) const {
    if (device != nullptr) return nullptr;
    return segments().find(segments().address_of(name_of(address)), pe);
}

bool ExternalHeap::is_registered_by(int pe, const void* address) const {
    return device == nullptr && segments().has(segments().address_of(name_of(address)), pe);
}

char* ExternalHeap::remote(const void* address, std::size_t count, int pe,
                           const char* where) const {
    if (device != nullptr) {
        fatal(
            "%s: %p is memory of a device (%s), registered by shmemx_heap_create; no transport of "
            "this job reaches it, copy it through memory from shmem_malloc",
            where, address, device);
    }
    return segments().remote(segments().address_of(name_of(address)), count, pe, where);
}

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
    has_heaps.store(true, std::memory_order_release);
}

void forget_external_heaps() {
    std::unique_lock guard(heaps_lock);
    has_heaps.store(false, std::memory_order_relaxed);
    heaps.clear();
}

}  // namespace tessera
