// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the free blocks of local memory that a thread keeps for itself (local_memory.hpp), by
// size class, last in first out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/local_allocator.hpp"

namespace tessera {

// Larger blocks come from the allocator directly.
inline constexpr std::size_t kCachedBytesMax = std::size_t{64} << 10;
inline constexpr heap::SizeClass kCachedClasses = heap::class_of_bytes(kCachedBytesMax) + 1;
static_assert(kCachedClasses <= heap::kCachedClassMax + 1);

inline constexpr std::uint32_t kCachedBlocksMax = 256;

// The blocks of a class.
struct CacheBin {
    std::uint32_t count = 0;
    std::uint32_t most = 0;  // at most so many; 0: none are kept
    heap::Unit blocks[kCachedBlocksMax];
};

// Memory of the system, so that pages exist for the classes in use.
struct ThreadCache {
    CacheBin bins[kCachedClasses];
    ThreadCache* next = nullptr;  // list of all caches; they are never freed
    bool has_owner = false;
};

// How many blocks of a class a thread keeps: 256 KiB, less where local memory is small, so that the
// caches of 64 threads keep at most about half of it.
inline std::uint32_t blocks_to_keep(heap::SizeClass size_class, std::size_t local_bytes) {
    constexpr std::size_t kKeptBytesMax = std::size_t{256} << 10;
    const std::size_t share = local_bytes / 4096;
    const std::size_t bytes = share < kKeptBytesMax ? share : kKeptBytesMax;
    const std::size_t count = bytes / (heap::units_of_class(size_class) * heap::kUnitBytes);
    return count < kCachedBlocksMax ? static_cast<std::uint32_t>(count) : kCachedBlocksMax;
}

}  // namespace tessera
