// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the program that shmemx_heap_create made symmetric (include/shmemx.h): segments behind
// the symmetric heap and static data, which the address map looks at last. Host memory is mapped by
// the PEs of the node; memory of a device is only registered, so that messages can explain its use.
// THREADS: one adds, any number look up at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fd.hpp"
#include "base/platform.hpp"

namespace tessera {

inline constexpr int kExternalHeapsMax = 8;

struct ExternalHeap {
    std::uintptr_t base = 0;  // of this PE
    std::size_t bytes = 0;
    // nullptr: memory of the host. Otherwise what reaches it, for messages ("CUDA").
    const char* device = nullptr;
    std::vector<char*> peers;       // by world PE, its memory as this PE maps it; empty for devices
    std::vector<Mapping> mappings;  // of which those are parts

    bool contains(const void* address, std::size_t count) const {
        std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - base;
        return count <= bytes && offset <= bytes - count;
    }
    // pe's copy of the object at `address`, or nullptr when it is not mapped.
    // REQUIRES: contains(address).
    char* mapped(const void* address, int pe) const;
    // The same where an operation needs it: memory that is not mapped ends the job.
    char* remote(const void* address, int pe, const char* where) const;
};

// The heap that holds all the bytes, or nullptr. COST: a load when there are none.
const ExternalHeap* find_external_heap(const void* address, std::size_t bytes);

// Whether the bytes have any in common with such a heap, of this PE or as mapped from another one.
bool overlaps_external_heap(std::uintptr_t start, std::size_t bytes);

// The PE whose memory of an external heap is mapped at `address` here, or -1.
int owner_of_external_heap(std::uintptr_t address);

// The address map sees the heap when this returns. False: there are kExternalHeapsMax already.
bool add_external_heap(ExternalHeap&& heap);

// Unmaps the peers' memory. For finalize: no operation uses it any more.
void forget_external_heaps();

}  // namespace tessera
