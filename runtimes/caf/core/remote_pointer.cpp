// SPDX-License-Identifier: BSD-3-Clause
//
// Each image's block has its own address, and the range of its components, which only grows. The
// readers keep what they have seen, and look again when an address lies outside.
#include "core/remote_pointer.hpp"

#include <shmem.h>

#include <mutex>
#include <unordered_map>

#include "core/coarray.hpp"

namespace tessera::caf {

namespace {

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

bool is_component_of(std::uint64_t address, const Published& image) {
    return address >= image.component_low && address < image.component_high;
}

}  // namespace

void start_remote_pointers() {
    block = static_cast<Published*>(shmem_malloc(sizeof(Published)));
    *block = {reinterpret_cast<std::uint64_t>(block), UINT64_MAX, 0};
}

void publish_components(std::uintptr_t low, std::uintptr_t high) {
    const int me = shmem_my_pe();
    shmem_uint64_atomic_set(&block->component_low, low, me);
    shmem_uint64_atomic_set(&block->component_high, high, me);
}

void* translate(const void* address_on_pe, int pe) {
    const auto address = reinterpret_cast<std::uint64_t>(address_on_pe);
    if (pe == shmem_my_pe()) {
        return is_in_coarray_memory(address_on_pe) ? const_cast<void*>(address_on_pe) : nullptr;
    }
    Published image;
    {
        const std::lock_guard lock(known().mutex);
        Published& kept = known().images[pe];
        if (kept.address == 0 || !is_component_of(address, kept)) {
            kept = read_block(pe);
        }
        image = kept;
    }
    std::byte* here =
        reinterpret_cast<std::byte*>(block) + static_cast<std::ptrdiff_t>(address - image.address);
    return is_component_of(address, image) || is_in_coarray_memory(here) ? here : nullptr;
}

}  // namespace tessera::caf
