// SPDX-License-Identifier: BSD-3-Clause
//
// See team.hpp.
#include "core/team.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>

#include "base/fatal.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "core/runtime.hpp"
#include "core/team_mailboxes.hpp"
#include "transports/transport.hpp"

namespace tessera {

Team& world_team = *new Team;
bool world_serves_active_sets = false;
Team& shared_team = *new Team;
Team& node_team = *new Team;

namespace {

std::mutex slots_lock;  // Held for a few instructions; never while waiting for another PE.
// Slots that were used and are free again, and the first one that never was used.
std::vector<TeamSlot>& free_slots = *new std::vector<TeamSlot>;
std::uint32_t next_slot = kFirstFreeTeamSlot;

void find_nodes(Team& team) {
    TeamNodes& nodes = team.by_node;
    nodes = {};
    team.nodes = 1;
    team.largest_node = team.npes;
    if (team.is_on_one_node) return;
    auto name_of = [&](int member) { return first_pe_of_node(team.world_pe(member)); };
    nodes.members.resize(static_cast<std::size_t>(team.npes));
    std::iota(nodes.members.begin(), nodes.members.end(), 0);
    std::stable_sort(nodes.members.begin(), nodes.members.end(),
                     [&](int left, int right) { return name_of(left) < name_of(right); });
    nodes.is_in_order = std::ranges::is_sorted(nodes.members);
    nodes.smallest = team.npes;
    team.largest_node = 0;
    for (int i = 0; i < team.npes; ++i) {
        const int member = nodes.members[static_cast<std::size_t>(i)];
        if (i == 0 || name_of(member) != name_of(nodes.members[static_cast<std::size_t>(i - 1)])) {
            nodes.begins.push_back(i);
        }
        if (member != team.my_index) continue;
        nodes.mine = static_cast<int>(nodes.begins.size()) - 1;
        nodes.index_on_node = i - nodes.begins.back();
    }
    nodes.begins.push_back(team.npes);
    team.nodes = nodes.count();
    for (int node = 0; node < team.nodes; ++node) {
        nodes.smallest = std::min(nodes.smallest, nodes.size(node));
        team.largest_node = std::max(team.largest_node, nodes.size(node));
    }
}

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
        address_map.fabric->get(collective_context.transport_context(), &shown, name->exchange,
                                sizeof shown, pe);
    }
    return shown;
}

void renew_flags(const Team& team) {
    for (TeamFlags::Line& line : team.my_flags().arrival) line.gate.reset(team.syncs);
}

void renew_mailboxes(const Team& team) {
    TeamMailboxes& mailboxes = *team_mailboxes(team.slot);
    for (auto& parity : mailboxes.gates) {
        for (auto& kind : parity) {
            for (TeamMailboxes::Line& line : kind) line.gate.reset(team.mailbox_calls);
        }
    }
    for (TeamMailboxes::Line& line : mailboxes.published) line.gate.reset(team.mailbox_calls);
}

void find_partners(Team& team) {
    team.is_on_one_node = true;
    for (int i = 0; i < team.npes && team.is_on_one_node; ++i) {
        team.is_on_one_node = is_on_this_node(team.world_pe(i));
    }
    find_nodes(team);
    team.has_mailboxes = true;
    for (int i = 0; i < static_cast<int>(team.slots.size()); ++i) {
        team.has_mailboxes = team.has_mailboxes && team.slot_of(i) < teams_with_mailboxes();
    }
    team.central = nullptr;
    if (team.is_on_one_node) {
        team.central = &mapped_team_flags(team.world_pe(0), team.slot_of(0))->central;
    }
    team.flags = team_flags(team.slot);
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
