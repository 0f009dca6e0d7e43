// SPDX-License-Identifier: BSD-3-Clause
#include "transfers/recent_targets.hpp"

#include "core/team.hpp"

namespace tessera::dart {

Target note_target(const dart_gptr_t& gptr, std::size_t bytes) {
    const Target target = mapped_target(gptr, bytes);
    if (target.mapped == nullptr || gptr.segid == DART_SEGMENT_LOCAL) return target;
    detail::RecentTargets& recent = detail::recent_targets;
    const std::uint64_t ends = ended_segments.load(std::memory_order_relaxed);
    if (recent.ends != ends) recent = {.ends = ends, .entries = {}};
    const std::uint64_t key = detail::target_key(gptr), offset = gptr.addr_or_offs.offset;
    recent.entries[key % detail::RecentTargets::kEntries] = {
        .key = key,
        .first = {target.pe, target.address - offset, target.mapped - offset},
        .bytes = find_team(gptr.teamid)->segments.entry(gptr.segid)->bytes};
    return target;
}

}  // namespace tessera::dart
