// SPDX-License-Identifier: BSD-3-Clause
//
// See external_heap.hpp.
#include "core/external_heap.hpp"

#include <array>
#include <atomic>
#include <utility>

#include "base/fatal.hpp"
#include "core/address_map.hpp"

namespace tessera {
namespace {

auto& heaps = *new std::array<ExternalHeap, kExternalHeapsMax>;
// The release of add_external_heap pairs with the acquire of each function that reads the first
// `count` heaps.
std::atomic<int> heap_count{0};

template <class Condition>
const ExternalHeap* find(Condition condition) {
    const int count = heap_count.load(std::memory_order_acquire);
    for (int i = 0; i < count; ++i) {
        const ExternalHeap& heap = heaps[static_cast<std::size_t>(i)];
        if (condition(heap)) return &heap;
    }
    return nullptr;
}

}  // namespace

char* ExternalHeap::mapped(const void* address, int pe) const {
    if (peers.empty()) return nullptr;
    char* start = peers[static_cast<std::size_t>(pe)];
    if (start == nullptr) return nullptr;
    return start + (reinterpret_cast<std::uintptr_t>(address) - base);
}

char* ExternalHeap::remote(const void* address, int pe, const char* where) const {
    if (char* memory = mapped(address, pe)) return memory;
    if (device != nullptr) {
        fatal(
            "%s: %p is memory of a device (%s), registered by shmemx_heap_create; no transport of "
            "this job reaches it, copy it through memory from shmem_malloc",
            where, address, device);
    }
    fatal(
        "%s: %p lies in an external heap, and PE %d is on another node, where no transport reaches "
        "such memory; use memory from shmem_malloc",
        where, address, pe);
}

const ExternalHeap* find_external_heap(const void* address, std::size_t bytes) {
    return find([=](const ExternalHeap& heap) { return heap.contains(address, bytes); });
}

bool overlaps_external_heap(std::uintptr_t start, std::size_t bytes) {
    auto overlaps = [=](std::uintptr_t other, std::size_t other_bytes) {
        return start < other + other_bytes && other < start + bytes;
    };
    return find([=](const ExternalHeap& heap) {
               if (overlaps(heap.base, heap.bytes)) return true;
               for (const Mapping& mapping : heap.mappings) {
                   auto mapped = reinterpret_cast<std::uintptr_t>(mapping.data());
                   if (overlaps(mapped, mapping.bytes())) return true;
               }
               return false;
           }) != nullptr;
}

int owner_of_external_heap(std::uintptr_t address) {
    int owner = -1;
    find([&](const ExternalHeap& heap) {
        for (std::size_t pe = 0; pe < heap.peers.size() && owner < 0; ++pe) {
            auto start = reinterpret_cast<std::uintptr_t>(heap.peers[pe]);
            if (start != 0 && address - start < heap.bytes) owner = static_cast<int>(pe);
        }
        return owner >= 0;
    });
    return owner;
}

bool add_external_heap(ExternalHeap&& heap) {
    const int count = heap_count.load(std::memory_order_relaxed);
    if (count == kExternalHeapsMax) return false;
    heaps[static_cast<std::size_t>(count)] = std::move(heap);
    heap_count.store(count + 1, std::memory_order_release);
    return true;
}

void forget_external_heaps() {
    heap_count.store(0, std::memory_order_relaxed);
    for (ExternalHeap& heap : heaps) heap = {};
}

}  // namespace tessera
