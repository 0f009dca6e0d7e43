// SPDX-License-Identifier: BSD-3-Clause
//
// Linear, over the program's pSync: members add to word 0 of the first PE. When all have come, that
// PE clears it and sets word 1 of each member; each member clears its own. Both words are
// SHMEM_SYNC_VALUE again before any member can use them for the next call, so calls may follow each
// other at once.
// COST: p a at the first PE. Nothing is shared between different pSync arrays.
#include "collectives/barrier/active_set.hpp"

#include <atomic>
#include <cstdint>

#include "base/fatal.hpp"
#include "base/wait.hpp"
#include "core/context.hpp"
#include "core/sync_copies.hpp"
#include "shmem/deprecated.h"

namespace tessera::collectives {
namespace {

void wait_for(long* word, long wanted, const char* where) {
    wait_until([=] { return collective_context.fetch(word, world_team.my_index, where) == wanted; },
               where);
}

}  // namespace

bool is_in_active_set(const ActiveSet& set, const char* where) {
    const auto npes = static_cast<std::int64_t>(world_team.npes);
    bool in_range = set.start >= 0 && set.log_stride >= 0 && set.log_stride < 31 && set.size > 0;
    std::int64_t stride = in_range ? std::int64_t{1} << set.log_stride : 0;
    std::int64_t last = set.start + stride * (set.size - 1);
    if (!in_range || last >= npes) {
        fatal("%s: active set PE_start %d, logPE_stride %d, PE_size %d is not within %d PEs", where,
              set.start, set.log_stride, set.size, world_team.npes);
    }
    std::int64_t distance = world_team.my_index - set.start;
    const bool is_member = distance >= 0 && distance % stride == 0 && world_team.my_index <= last;
    static constinit std::atomic<bool> is_told{false};
    if (!is_member && !is_told.exchange(true, std::memory_order_relaxed)) {
        warn(
            "%s: this PE is not in the active set PE_start %d, logPE_stride %d, PE_size %d, so the "
            "call does nothing here; only its members should call (said once)",
            where, set.start, set.log_stride, set.size);
    }
    return is_member;
}

namespace {

void meet_active_set(const ActiveSet& set, long* psync, const char* where) {
    const Context& context = collective_context;
    long* arrivals = psync;
    long* release = psync + 1;
    constexpr long kReleased = SHMEM_SYNC_VALUE + 1;
    if (world_team.my_index != set.start) {
        context.fence();
        context.fetch_add<OldValue::kIgnored>(arrivals, 1L, set.start, where);
        wait_for(release, kReleased, where);
        context.set(release, static_cast<long>(SHMEM_SYNC_VALUE), world_team.my_index, where);
        return;
    }
    wait_for(arrivals, SHMEM_SYNC_VALUE + set.size - 1, where);
    context.set(arrivals, static_cast<long>(SHMEM_SYNC_VALUE), set.start, where);
    context.fence();
    for (int i = 1; i < set.size; ++i)
        context.set(release, kReleased, set.start + (i << set.log_stride), where);
}

}  // namespace

void sync_active_set(const ActiveSet& set, long* psync, const char* where) {
    sync_copies(SyncPoint::kSyncBegin);
    meet_active_set(set, psync, where);
    sync_copies(SyncPoint::kSyncEnd);
}

}  // namespace tessera::collectives
