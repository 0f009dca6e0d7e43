// SPDX-License-Identifier: BSD-3-Clause
//
// Each image's block has its own address, and the range of its components, which only grows. The
// readers keep what they have seen, and look again when an address lies outside.
#include "core/remote_pointer.hpp"

#include <shmem.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace tessera::caf {

namespace {

// The lowest and highest byte of coarrays so far. Only collective allocations change them.
std::uintptr_t coarray_low = UINTPTR_MAX;
std::uintptr_t coarray_high = 0;

// Words of the block: the owner stores them in this order, high last.
struct Published {
    std::uint64_t address;
    std::uint64_t component_low;
    std::uint64_t component_high;
};

Published* block = nullptr;

struct Known {
    std::mutex mutex;
    std::unordered_map<int, Published> images;
};

Known& known() {
    static Known& all = *new Known;
    return all;
}

Published read_block(int pe) {
    return {shmem_uint64_atomic_fetch(&block->address, pe),
            shmem_uint64_atomic_fetch(&block->component_low, pe),
            shmem_uint64_atomic_fetch(&block->component_high, pe)};
}

// Whether `bytes` bytes lie in a range, or `address` alone does where they are 0.
bool is_in(std::uint64_t address, std::size_t bytes, std::uint64_t low, std::uint64_t high) {
    return address >= low && address < high && bytes <= high - address;
}

// The symmetric address of bytes of an image, or NULL.
void* symmetric_address(std::uint64_t address, std::size_t bytes, const Published& image) {
    const std::uint64_t here = reinterpret_cast<std::uint64_t>(block) + (address - image.address);
    const bool is_known = is_in(here, bytes, coarray_low, coarray_high) ||
                          is_in(address, bytes, image.component_low, image.component_high);
    return is_known ? reinterpret_cast<void*>(here) : nullptr;
}

}  // namespace

void start_remote_pointers() {
    block = static_cast<Published*>(shmem_malloc(sizeof(Published)));
    *block = {reinterpret_cast<std::uint64_t>(block), UINT64_MAX, 0};
}

void note_coarrays(const void* base, std::size_t bytes) {
    const auto low = reinterpret_cast<std::uintptr_t>(base);
    coarray_low = std::min(coarray_low, low);
    coarray_high = std::max(coarray_high, low + bytes);
}

void note_components(const void* base, std::size_t bytes) {
    const auto low = reinterpret_cast<std::uintptr_t>(base);
    if (low < detail::component_low.load(std::memory_order_relaxed))
        detail::component_low.store(low, std::memory_order_relaxed);
    if (low + bytes > detail::component_high.load(std::memory_order_relaxed))
        detail::component_high.store(low + bytes, std::memory_order_relaxed);
    const int me = shmem_my_pe();
    shmem_uint64_atomic_set(&block->component_low, detail::component_low, me);
    shmem_uint64_atomic_set(&block->component_high, detail::component_high, me);
}

bool is_in_coarray_memory(const void* address) {
    return is_in(reinterpret_cast<std::uintptr_t>(address), 1, coarray_low, coarray_high) ||
           is_in_components(address);
}

void* translate(const void* address_on_pe, int pe, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(address_on_pe);
    if (pe == shmem_my_pe()) {
        const Published own{reinterpret_cast<std::uint64_t>(block), detail::component_low,
                            detail::component_high};
        return symmetric_address(address, bytes, own);
    }
    const std::lock_guard lock(known().mutex);
    Published& kept = known().images[pe];
    if (kept.address != 0) {
        if (void* found = symmetric_address(address, bytes, kept)) return found;
    }
    kept = read_block(pe);
    return symmetric_address(address, bytes, kept);
}

}  // namespace tessera::caf
