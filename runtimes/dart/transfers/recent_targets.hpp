// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: where the last global pointers of a thread pointed to. A program often gets cell after
// cell of one unit and allocation. The thread compares the pointer's first word with its notes, and
// saves the lookups of mapped_target(), which are half of the instructions of a get.
//
// Only mapped segments are here, and no memory of dart_memalloc.
#pragma once

#include <dash/dart/if/dart_globmem.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/segments.hpp"
#include "transfers/target.hpp"

namespace tessera::dart {

struct RecentTarget {
    std::uint64_t key = UINT64_MAX;  // unit, generation, segment and team
    Target first{};                  // where the unit's part begins
    std::uint64_t bytes = 0;
};

namespace detail {

struct RecentTargets {
    static constexpr std::size_t kEntries = 8;
    std::uint64_t ends = 0;  // ended_segments at the first entry
    RecentTarget entries[kEntries];
};

inline thread_local constinit RecentTargets recent_targets
    __attribute__((tls_model("initial-exec"))) = {};

inline std::uint64_t target_key(const dart_gptr_t& gptr) {
    return std::bit_cast<std::array<std::uint64_t, 2>>(gptr)[0];
}

}  // namespace detail

// RETURNS: nullptr: this thread has not noted the target. REQUIRES: bytes > 0. COST: four loads and
// four compares.
[[gnu::always_inline]] inline const RecentTarget* find_recent(const dart_gptr_t& gptr,
                                                              std::size_t bytes) {
    const std::uint64_t key = detail::target_key(gptr), offset = gptr.addr_or_offs.offset;
    const detail::RecentTargets& recent = detail::recent_targets;
    const RecentTarget& entry = recent.entries[key % detail::RecentTargets::kEntries];
    if (entry.key != key || recent.ends != ended_segments.load(std::memory_order_relaxed) ||
        bytes > entry.bytes || offset > entry.bytes - bytes) [[unlikely]] {
        return nullptr;
    }
    return &entry;
}

// mapped_target(), and notes the target.
Target note_target(const dart_gptr_t& gptr, std::size_t bytes);

}  // namespace tessera::dart
