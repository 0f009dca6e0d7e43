// SPDX-License-Identifier: BSD-3-Clause
//
// See team_create.hpp. Each member claims a slot for its flags and shows its number, and the
// highest sync number that the slot has seen, to the others in the parent's exchange words. One
// sync before reading; one after, so that the words may be used again.
#include "collectives/team_create.hpp"

#include <algorithm>
#include <utility>

#include "collectives/select.hpp"
#include "core/internal_segment.hpp"

namespace tessera::collectives {
namespace {

// exchange[0]: 0: not a member; 1: no slot left; else slot + 2. exchange[1]: the slot's numbers, of
// syncs in the lower half.
constexpr std::uint64_t kNotMember = 0;
constexpr std::uint64_t kNoSlot = 1;
constexpr std::uint64_t kFirstSlot = 2;

// Numbers wrap, but those of live slots lie close together.
void raise(std::uint32_t& number, std::uint32_t other, bool is_first) {
    if (is_first || static_cast<std::int32_t>(other - number) > 0) number = other;
}

// Before the parent's second sync no PE uses the new team's gates. Gates that were never used need
// nothing.
void renew(const Team& team, std::uint32_t slot) {
    Team mine;
    mine.slot = slot;
    mine.syncs = team.syncs;
    mine.mailbox_calls = team.mailbox_calls;
    if (team.syncs != 0) renew_flags(mine);
    if (team.mailbox_calls != 0 && slot < teams_with_mailboxes()) renew_mailboxes(mine);
}

// Reads the exchange words of the parent's PEs. RETURNS: whether all PEs that want a slot have one;
// then `team`, unless this PE is no member, has the members' slots.
bool collect_slots(const Team& parent, Team* team) {
    std::vector<Team::Shown> shown;
    for (int i = 0; i < parent.npes; ++i) {
        shown.push_back(parent.shown_by(i));
        if (shown.back().words[0] == kNoSlot) return false;
    }
    if (team == nullptr) return true;
    for (int pe : team->members) {
        const auto& words = shown[static_cast<std::size_t>(parent.index_of(pe))].words;
        const bool is_first = team->slots.empty();
        raise(team->syncs, static_cast<std::uint32_t>(words[1]), is_first);
        raise(team->mailbox_calls, static_cast<std::uint32_t>(words[1] >> 32), is_first);
        team->slots.push_back(static_cast<std::uint32_t>(words[0] - kFirstSlot));
    }
    return true;
}

}  // namespace

NewTeam create_team(Team& parent, std::span<const int> world_pes, const char* where) {
    const int me = parent.world_pe(parent.my_index);
    const bool is_member = !world_pes.empty();
    std::optional<TeamSlot> slot;
    if (is_member) slot = claim_team_slot();

    TeamFlags& shown = parent.my_flags();
    shown.exchange[0] = !is_member ? kNotMember : slot ? slot->index + kFirstSlot : kNoSlot;
    shown.exchange[1] = slot ? std::uint64_t{slot->mailbox_calls} << 32 | slot->syncs : 0;
    sync(parent, where);
    NewTeam made{.succeeded = false, .team = nullptr};
    if (is_member) {
        made.team = std::make_unique<Team>();
        made.team->members.assign(world_pes.begin(), world_pes.end());
    }
    made.succeeded = collect_slots(parent, made.team.get());
    if (made.succeeded && made.team) renew(*made.team, slot->index);
    sync(parent, where);

    if (!made.succeeded && slot) release_team_slot(*slot);
    if (!made.succeeded) made.team = nullptr;
    if (!made.team) return made;
    Team& team = *made.team;
    team.npes = static_cast<int>(team.members.size());
    team.my_index =
        static_cast<int>(std::find(world_pes.begin(), world_pes.end(), me) - world_pes.begin());
    team.slot = slot->index;
    team.world_pes = team.members.data();
    team.more_members_than_cores = parent.more_members_than_cores;
    prepare(team);
    return made;
}

void destroy_team(std::unique_ptr<Team> team) {
    release_team_slot(
        {.index = team->slot, .syncs = team->syncs, .mailbox_calls = team->mailbox_calls});
}

}  // namespace tessera::collectives
