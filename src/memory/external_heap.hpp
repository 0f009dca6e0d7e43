// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the program that shmemx_heap_create made symmetric (include/shmemx.h): segments behind
// the symmetric heap and static data, which the address map looks at last. Host memory is a
// registered segment (memory/segments.hpp), whose bytes the program names by its own addresses.
// Memory of a device is only noted, so that messages can explain its use.
// THREADS: any number look up while one adds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

struct ExternalHeap {
    std::uintptr_t base = 0;  // this PE's part
    std::size_t bytes = 0;    // size of this PE's part
    // nullptr: memory of the host. Otherwise the device, for messages ("CUDA").
    const char* device = nullptr;
    // The name of the first byte, the same for all PEs; only for memory of the host.
    std::size_t first_name = 0;

    // REQUIRES: the heap has the address.
    std::size_t name_of(const void* address) const {
        return first_name + (reinterpret_cast<std::uintptr_t>(address) - base);
    }
};

// The heap that holds all the bytes, or nullptr. COST: a load when there are none.
const ExternalHeap* find_external_heap(const void* address, std::size_t bytes);

// Whether the bytes have any in common with such a heap of this PE.
bool overlaps_external_heap(std::uintptr_t start, std::size_t bytes);

// The address map sees the heap when this returns. REQUIRES: it overlaps none. THREADS: one.
void add_external_heap(const ExternalHeap& heap);

// For finalize: no operation uses them any more.
void forget_external_heaps();

}  // namespace tessera
