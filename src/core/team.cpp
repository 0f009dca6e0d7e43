// SPDX-License-Identifier: BSD-3-Clause
//
// See team.hpp.
#include "core/team.hpp"

#include <mutex>

#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"

namespace tessera {

Team world_team;
Team shared_team;
Team node_team;

namespace {

std::mutex slots_lock;  // Held for a few instructions; never while waiting for another PE.
// Slots that were used and are free again, and the first one that never was used.
std::vector<TeamSlot> free_slots;
std::uint32_t next_slot = kFirstFreeTeamSlot;

}  // namespace

int Team::index_of(int pe) const {
    if (world_pes == nullptr) return pe >= 0 && pe < npes ? pe : -1;
    for (int i = 0; i < npes; ++i) {
        if (world_pes[i] == pe) return i;
    }
    return -1;
}

void Team::fail_index(int index, const char* where) const {
    check_initialized(where);
    fatal("%s: pe %d is not in [0, %d), the PEs of the context's team", where, index, npes);
}

std::optional<TeamSlot> claim_team_slot() {
    std::lock_guard guard(slots_lock);
    if (!free_slots.empty()) {
        TeamSlot slot = free_slots.back();
        free_slots.pop_back();
        return slot;
    }
    if (next_slot >= kTeamSlots) return std::nullopt;
    return TeamSlot{.index = next_slot++, .syncs = 0};
}

void release_team_slot(const TeamSlot& slot) {
    std::lock_guard guard(slots_lock);
    free_slots.push_back(slot);
}

void forget_team_slots() {
    std::lock_guard guard(slots_lock);
    free_slots.clear();
    next_slot = kFirstFreeTeamSlot;
}

}  // namespace tessera
