// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: where a global pointer points to. mapped_target() is the usual case, memory that is
// mapped; find_target() is all others, and says what is wrong with a pointer.
#pragma once

#include <dash/dart/if/dart_globmem.h>

#include <cstddef>

#include "core/node.hpp"
#include "core/team.hpp"

namespace tessera::dart {

struct Target {
    int pe = -1;
    char* address = nullptr;  // what the routines of OpenSHMEM take, together with pe
    char* mapped = nullptr;   // where the calling unit loads and stores; nullptr: it cannot
};

// RETURNS: a target that is not mapped: it cannot be, or the pointer is wrong. COST: seven loads
// and six compares.
inline Target mapped_target(const dart_gptr_t& gptr, std::size_t bytes) {
    const Team* team = find_team(gptr.teamid);
    if (team == nullptr) [[unlikely]] {
        return {};
    }
    const Segment* segment = team->segments.entry(gptr.segid);
    const auto unit = static_cast<std::uint32_t>(gptr.unitid);
    if (segment == nullptr || unit >= static_cast<std::uint32_t>(team->size)) [[unlikely]] {
        return {};
    }
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

}  // namespace tessera::dart
