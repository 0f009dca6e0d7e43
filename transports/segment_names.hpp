// SPDX-License-Identifier: BSD-3-Clause
//
// The names of registered segments (include/shmemx/segments.h): addresses in a part of the address
// space that nothing lies in. A name and the number of a PE mean a byte of the memory that this PE
// has registered. Names count from the start of that part, so that they are the same on all PEs.
// memory/segments.cpp keeps the table; transports see this interface. THREADS: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

class SegmentNames {
  public:
    // A byte of another PE's memory.
    struct RemoteByte {
        std::uintptr_t address = 0;        // in its address space
        std::uint64_t fabric_address = 0;  // as the fabric names it, with
        std::uint64_t key = 0;             // this key
    };

    // COST: two loads and a compare.
    TESSERA_INLINE bool contains(const void* address) const {
        return offset_of(address) < bytes_.load(std::memory_order_relaxed);
    }
    // REQUIRES: contains(address).
    TESSERA_INLINE std::size_t offset_of(const void* address) const {
        return reinterpret_cast<std::uintptr_t>(address) - start_.load(std::memory_order_relaxed);
    }
    // The same, also of memory that the program names by its own address
    // (memory/external_heap.hpp).
    std::size_t position_of(const void* address) const {
        return contains(address) ? offset_of(address) : position_of_memory(address);
    }
    // The bytes of this PE that another PE, or this one, has named. A name of none ends the job.
    virtual char* memory_here(std::size_t offset, std::size_t bytes) const = 0;
    // REQUIRES: the caller of the transport has checked the access.
    virtual RemoteByte find_there(std::size_t offset, int pe) const = 0;

  private:
    virtual std::size_t position_of_memory(const void* address) const = 0;

  public:
    // The part of another PE's bytes that this one can load and store.
    struct MappedBytes {
        std::size_t first = 0;   // begins so many bytes behind the first one asked for
        std::size_t bytes = 0;   // 0: none
        char* memory = nullptr;  // here
    };
    // REQUIRES: as find_there().
    virtual MappedBytes mapped_there(std::size_t offset, std::size_t bytes, int pe) const = 0;

  protected:
    ~SegmentNames() = default;
    // bytes_ is 0 until the first registration: no address is a name.
    std::atomic<std::uintptr_t> start_{0};
    std::atomic<std::size_t> bytes_{0};
};

}  // namespace tessera
