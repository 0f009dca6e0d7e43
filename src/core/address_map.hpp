// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: from a symmetric address of this PE to the same object of another PE. The bounds check
// that finds the segment is also the check of the program's arguments, so it is always on.
// Filled once by core/runtime.cpp during init, only read afterwards. npes is 0 before init and after
// finalize, so that one compare rejects a bad PE number and a call at the wrong time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

class Transport;

// How this PE reaches one other (or itself). Chosen at init, never searched.
struct Peer {
    char* heap = nullptr;           // its symmetric heap in our address space, nullptr: not mapped
    char* statics = nullptr;        // its static data in our address space, nullptr: not mapped
    Transport* transport = nullptr; // for what is not mapped; nullptr: nothing reaches it
    int local_index = -1;           // among the PEs of this node
};

struct alignas(kCacheLineBytes) AddressMap {
    std::uint32_t npes = 0;
    std::int32_t my_pe = -1;
    std::uintptr_t heap_base = 0;    // of this PE
    std::size_t heap_bytes = 0;
    std::uintptr_t static_base = 0;  // of this PE
    std::size_t static_bytes = 0;
    const Peer* peers = nullptr;     // by world PE
    bool needs_transport = false;    // some symmetric memory of some PE is not mapped

    // The address of `pe`'s copy of the `bytes` bytes at `address`, or nullptr when only the peer's
    // transport reaches it. An address that is not symmetric ends the job.
    // REQUIRES: 0 <= pe < npes.  COST: two compares, a load and an addition.
    TESSERA_INLINE char* remote(const void* address, std::size_t bytes, int pe,
                                const char* where) const {
        std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - heap_base;
        if (bytes <= heap_bytes && offset <= heap_bytes - bytes) [[likely]] {
            char* heap = peers[pe].heap;
            return heap != nullptr ? heap + offset : nullptr;
        }
        return remote_static(address, bytes, pe, where);
    }

    // The same for addresses outside the heap.
    char* remote_static(const void* address, std::size_t bytes, int pe, const char* where) const;

    // Whether the bytes are symmetric on this PE.
    bool contains(const void* address, std::size_t bytes) const {
        return in_heap(address, bytes) || in_statics(address, bytes);
    }
    bool in_heap(const void* address, std::size_t bytes) const {
        std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - heap_base;
        return bytes <= heap_bytes && offset <= heap_bytes - bytes;
    }
    bool in_statics(const void* address, std::size_t bytes) const {
        std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - static_base;
        return bytes <= static_bytes && offset <= static_bytes - bytes;
    }
};

extern constinit AddressMap address_map;

// Messages for a program's mistakes. `where` is the public routine.
[[noreturn]] TESSERA_COLD void fail_pe(int pe, const char* where);
[[noreturn]] TESSERA_COLD void fail_address(const void* address, std::size_t bytes,
                                            const char* where);
[[noreturn]] TESSERA_COLD void fail_alignment(const void* address, std::size_t bytes,
                                              const char* where);
[[noreturn]] TESSERA_COLD void fail_not_initialized(const char* where);

// For routines without a PE argument.
TESSERA_INLINE void check_initialized(const char* where) {
    if (address_map.npes == 0) [[unlikely]] fail_not_initialized(where);
}

}  // namespace tessera
