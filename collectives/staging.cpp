// SPDX-License-Identifier: BSD-3-Clause
//
// See staging.hpp.
#include "collectives/staging.hpp"

#include <algorithm>
#include <bit>

#include "collectives/algorithm.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/state.hpp"
#include "collectives/team_memory.hpp"
#include "core/pe_state.hpp"
#include "heap/team_memory.hpp"

namespace tessera::collectives {
namespace {

constexpr std::size_t kStagedBytesMin = std::size_t{64} << 10;
constexpr std::size_t kAlignment = 4096;
// Asking for the memory and touching its lines, in latencies.
constexpr double kAsking = 2;

}  // namespace

char* staging_of(Team& team, std::size_t bytes, const char* where) {
    CollectiveState& state = state_of(team);
    if (bytes <= state.staging_bytes) [[likely]]
        return state.staging;
    if (bytes > state.staging_bytes_max) return nullptr;
    const std::size_t wanted = std::max(kStagedBytesMin, std::bit_ceil(bytes));
    const auto offset = allocate_team_memory(team, wanted, kAlignment, where);
    if (!offset) {
        state.staging_bytes_max = bytes - 1;  // Less may fit.
        return nullptr;
    }
    // All members have left the calls that used the old memory: the allocation has a sync.
    if (state.staging != nullptr) team_memory().free(heap_offset(state.staging));
    state.staging = heap_address(*offset);
    state.staging_bytes = wanted;
    return state.staging;
}

Cost staging_cost(Collective collective, const Restriction& restriction, const TeamLayout& team,
                  double bytes) {
    const bool has_source_blocks =
        collective == Collective::kAlltoall || collective == Collective::kReduceScatter;
    const bool has_dest_blocks = collective == Collective::kAlltoall ||
                                 collective == Collective::kFcollect ||
                                 collective == Collective::kAllgatherv;
    double copied = 0;
    if (restriction.lands || needs_symmetric_source(restriction)) {  // Others read it next.
        copied += kPush * (has_source_blocks ? team.npes * bytes : bytes);
    }
    if (needs_symmetric_dest(restriction)) copied += has_dest_blocks ? team.npes * bytes : bytes;
    return Cost{.latencies = kAsking} + each_member(team, copied, 0);
}

}  // namespace tessera::collectives
