// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: where a global pointer points to. mapped_target() is the usual case, memory that is
// mapped; find_target() is all others, and says what is wrong with a pointer.
#pragma once

#include <dash/dart/if/dart_globmem.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/node.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "memory/local_pointer.hpp"

namespace tessera::dart {

struct Target {
    int pe = -1;
    char* address = nullptr;  // address for the routines of OpenSHMEM, together with pe
    char* mapped = nullptr;   // where the calling unit loads and stores; nullptr: it cannot
};

namespace detail {
// Addresses of local memory that OpenSHMEM has found accessible, from the lowest to the highest. It
// is one range, the same on all units.
inline std::atomic<std::uintptr_t> local_first{UINTPTR_MAX};
inline std::atomic<std::uintptr_t> local_end{0};
}  // namespace detail

// The same as mapped_target() for memory of dart_memalloc.
inline Target mapped_local(const dart_gptr_t& gptr, std::size_t bytes) {
    char* address = local_address(gptr);
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    if (static_cast<std::uint32_t>(gptr.unitid) >= static_cast<std::uint32_t>(n_units()) ||
        !is_in_local_block(gptr, bytes) ||
        first < detail::local_first.load(std::memory_order_relaxed) ||
        first + bytes > detail::local_end.load(std::memory_order_relaxed)) [[unlikely]] {
        return {};
    }
    return {gptr.unitid, address, node.mapped(address, gptr.unitid, node.count)};
}

// RETURNS: a target that is not mapped: it cannot be, or the pointer is wrong. COST: seven loads
// and six compares.
inline Target mapped_target(const dart_gptr_t& gptr, std::size_t bytes) {
    const Team* team = find_team(gptr.teamid);
    if (team == nullptr) [[unlikely]]
        return {};
    if (gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL) [[unlikely]]
        return mapped_local(gptr, bytes);
    const Segment* segment = team->segments.entry(gptr.segid);
    const auto unit = static_cast<std::uint32_t>(gptr.unitid);
    if (segment == nullptr || unit >= static_cast<std::uint32_t>(team->size)) [[unlikely]]
        return {};
    // Where there is no segment, mapped_units is 0. Flags that the program has set are no error.
    const std::uint64_t offset = gptr.addr_or_offs.offset;
    if (gptr.flags != segment->generation || bytes > segment->bytes ||
        offset > segment->bytes - bytes) [[unlikely]] {
        return {};
    }
    const int pe = team->global_unit(gptr.unitid);
    char* address = segment->base + offset;
    return {pe, address, node.mapped(address, pe, segment->mapped_units)};
}

// RETURNS: false, after a message: there is no such team, unit or segment, the pointer belongs to
// an allocation that has ended, or the segment ends before the bytes do.
bool find_target(const dart_gptr_t& gptr, std::size_t bytes, const char* routine, Target& target);
// The same for elements that are updated in place: also false if they are not aligned.
bool find_elements(const dart_gptr_t& gptr, std::size_t nelem, std::size_t element_bytes,
                   const char* routine, Target& target);

}  // namespace tessera::dart
