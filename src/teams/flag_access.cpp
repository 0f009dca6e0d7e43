// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of team.hpp that reach the words of a team in the internal segments of its members.
#include <cstring>

#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "teams/team.hpp"
#include "teams/team_mailboxes.hpp"
#include "teams/team_streams.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera {

TeamFlags* team_flags(std::uint32_t slot) { return team_flags_of(*pe_state.internal, slot); }

TeamFlags* mapped_team_flags(int world_pe, std::uint32_t slot) {
    Sleeper* sleeper = pe_state.peers[world_pe].sleeper;
    return sleeper != nullptr ? team_flags_of(segment_of(sleeper), slot) : nullptr;
}

TeamMailboxes* team_mailboxes(std::uint32_t slot) {
    return team_mailboxes_of(*pe_state.internal, slot);
}

TeamMailboxes* mapped_team_mailboxes(int world_pe, std::uint32_t slot) {
    Sleeper* sleeper = address_map.peers[world_pe].sleeper;
    return sleeper != nullptr ? team_mailboxes_of(segment_of(sleeper), slot) : nullptr;
}

std::uint64_t Team::shown_by(int index) const {
    const int pe = world_pe(index);
    if (const TeamFlags* theirs = mapped_team_flags(pe, slot)) return theirs->shown;
    std::uint64_t shown = 0;
    address_map.fabric->get(collective_context.transport_context(), &shown, &my_flags().shown,
                            sizeof shown, pe);
    return shown;
}

void Team::read_flags(const void* mine, std::size_t bytes, void* to) const {
    const char* base = reinterpret_cast<const char*>(&my_flags());
    const auto offset = static_cast<const char*>(mine) - base;
    TransportContext& context = collective_context.transport_context();
    auto* next = static_cast<char*>(to);
    for (int i = 0; i < npes; ++i, next += bytes) {
        const int pe = world_pe(i);
        if (const TeamFlags* theirs = mapped_team_flags(pe, slot)) {
            std::memcpy(next, reinterpret_cast<const char*>(theirs) + offset, bytes);
        } else {
            address_map.fabric->get_nbi(context, next, mine, bytes, pe);
        }
    }
    if (!is_on_one_node) address_map.fabric->quiet(context);
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
    team.has_mailboxes = team.slot < kTeamsWithMailboxes;
    team.has_streams = team.slot < kTeamsWithStreams &&
                       team.npes <= StreamLayout::members_max(stream_block_bytes(team.slot));
    team.first_stream_number = team.mailbox_calls;
    team.central = nullptr;
    if (team.is_on_one_node)
        team.central = &mapped_team_flags(team.world_pe(0), team.slot)->central;
    team.flags = team_flags(team.slot);
    team.flags->calls.begin(team.npes, team.my_index, team.world_pe(0),
                            team.world_pe(team.npes - 1));
    team.partners.clear();
    for (int distance = 1; distance < team.npes; distance *= 2) {
        const int index = (team.my_index + distance) % team.npes;
        const int pe = team.world_pe(index);
        team.partners.push_back(
            {.flags = mapped_team_flags(pe, team.slot), .name = team_flags(team.slot), .pe = pe});
    }
}

}  // namespace tessera
