// SPDX-License-Identifier: BSD-3-Clause
//
// See team.hpp.
#include "core/team.hpp"

#include <cstring>
#include <mutex>

#include "base/fatal.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "core/runtime.hpp"
#include "transports/transport.hpp"

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

Team::Shown Team::shown_by(int index) const {
    const int pe = world_pe(index);
    Shown shown;
    if (const TeamFlags* mapped = mapped_team_flags(pe, slot_of(index))) {
        std::memcpy(&shown, mapped->exchange, sizeof shown);
    } else {
        const TeamFlags* name = team_flags(slot_of(index));
        address_map.fabric->get(collective_context.channel(), &shown, name->exchange, sizeof shown,
                                pe);
    }
    return shown;
}

void find_partners(Team& team) {
    team.is_on_one_node = true;
    for (int i = 0; i < team.npes && team.is_on_one_node; ++i) {
        team.is_on_one_node = is_on_this_node(team.world_pe(i));
    }
    team.has_links = true;
    for (int i = 0; i < static_cast<int>(team.slots.size()); ++i) {
        team.has_links = team.has_links && team.slot_of(i) < kTeamsWithLinks;
    }
    team.central = nullptr;
    if (team.is_on_one_node) {
        team.central = &mapped_team_flags(team.world_pe(0), team.slot_of(0))->central;
    }
    team.partners.clear();
    for (int distance = 1; distance < team.npes; distance *= 2) {
        const int index = (team.my_index + distance) % team.npes;
        const int pe = team.world_pe(index);
        team.partners.push_back({.flags = mapped_team_flags(pe, team.slot_of(index)),
                                 .name = team_flags(team.slot_of(index)),
                                 .pe = pe});
    }
}

std::optional<TeamSlot> claim_team_slot() {
    std::lock_guard guard(slots_lock);
    if (!free_slots.empty()) {
        TeamSlot slot = free_slots.back();
        free_slots.pop_back();
        return slot;
    }
    if (next_slot >= kTeamSlots) return std::nullopt;
    return TeamSlot{.index = next_slot++};
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
