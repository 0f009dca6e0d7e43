// SPDX-License-Identifier: BSD-3-Clause
//
// See team_create.hpp. The members agree on a slot for the team's flags: each offers free slots of
// its own (teams/team_slots.hpp), and all take the lowest one that is in all offers. They show
// their offers to all PEs of the parent, or send them up the tree of a meeting. Then each member
// brings its gates to the numbers that the team begins with. Other members stay away from the gates
// until the parent's sync, or until the meeting ends.
#include "collectives/team_create.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/select.hpp"
#include "collectives/shown_lines.hpp"
#include "collectives/streams/engine.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "heap/team_memory.hpp"
#include "memory/segments.hpp"
#include "messaging/meeting.hpp"
#include "progress/epochs.hpp"
#include "teams/stream_blocks.hpp"
#include "teams/team_arrays.hpp"
#include "teams/team_slots.hpp"

namespace tessera::collectives {
namespace {

// A PE of the parent shows this to the others.
struct MemberOffer {
    SlotOffer slots;
    std::int32_t is_member = 0;
    ColorKey color_key;
    std::int32_t unused = 0;
};

// The slot that a member has, before there is a team.
struct Claim {
    std::optional<std::uint32_t> slot;  // nullopt: there is none, the same on all members
    TeamNumbers first;
};

Claim settle(const SlotOffer& mine, const SlotOffer& common) {
    const Claim claim{.slot = common.lowest(), .first = common.numbers};
    team_slots().settle(mine, claim.slot);
    return claim;
}

// No PE uses the new team's gates yet. Gates that were never used need nothing.
void renew(const Team& team) {
    if (team.first.syncs != 0) renew_flags(team);
    if (team.first.mailbox_calls != 0 && team.slot < kTeamsWithMailboxes) renew_mailboxes(team);
    // Below that, gates of streams that have not been used lately cannot count as reached.
    if (team.mailbox_calls >= kRenewAfter && team.slot < kTeamsWithStreams)
        renew_stream_block(team.slot, team.mailbox_calls);
}

// The team before the others may use it: finish() makes it whole.
struct Begun {
    std::unique_ptr<Team> team;
    TeamArrays arrays;
};

// `describe(team)` fills in what follows from the members, and RETURNS their arrays.
Begun begin(const Claim& claim, const auto& describe) {
    Begun begun;
    begun.team = std::make_unique<Team>();
    Team& team = *begun.team;
    team.slot = *claim.slot;
    team.first = claim.first;
    team.syncs = static_cast<std::uint32_t>(claim.first.syncs);
    team.mailbox_calls = static_cast<std::uint32_t>(claim.first.mailbox_calls);
    team.more_members_than_cores = world_team.more_members_than_cores;
    begun.arrays = describe(team);
    renew(team);
    share_arrays(team, begun.arrays);
    return begun;
}

Begun begin(std::span<const int> world_pes, const Claim& claim) {
    return begin(claim, [&](Team& team) { return find_members(team, world_pes); });
}

std::unique_ptr<Team> finish(Begun begun) {
    find_arrays(*begun.team, begun.arrays);
    prepare(*begun.team);
    return std::move(begun.team);
}

// ---- Among the PEs of a parent, each of which names a color ----

// The offers of all members of all new teams together: these share no PE, so one slot serves all.
SlotOffer common_offer(std::span<const MemberOffer> offers) {
    const MemberOffer* first = nullptr;
    SlotOffer common;
    for (const MemberOffer& each : offers) {
        if (each.is_member == 0) continue;
        first == nullptr ? static_cast<void>(common = each.slots) : common.combine(each.slots);
        first = &each;
    }
    return common;
}

std::vector<int> members_of_color(const Team& parent, std::span<const MemberOffer> offers,
                                  int color) {
    std::vector<int> indices;
    for (int i = 0; i < parent.npes; ++i) {
        if (offers[static_cast<std::size_t>(i)].color_key.color == color) indices.push_back(i);
    }
    std::ranges::stable_sort(indices, {}, [&](int index) {
        return offers[static_cast<std::size_t>(index)].color_key.key;
    });
    for (int& each : indices) each = parent.world_pe(each);
    return indices;
}

// ---- Among the PEs of a parent, of which some are members ----

// This goes up and down the tree of the parent's meeting: the offers of members.
struct ProposalOfMembers {
    SlotOffer offer;
    std::uint64_t has_members = 0;
    void combine(const ProposalOfMembers& other) {
        if (other.has_members == 0) return;
        has_members == 0 ? static_cast<void>(offer = other.offer) : offer.combine(other.offer);
        has_members = 1;
    }
};

bool has_member(const StridedMembers& members, int index) {
    const int distance = index - members.start;
    if (members.size == 1) return distance == 0;
    return distance % members.stride == 0 && distance / members.stride >= 0 &&
           distance / members.stride < members.size;
}

// Whether the team is a regular parent over again, which has no arrays to share.
bool is_copy_of(const Team& parent, const StridedMembers& members) {
    return members.start == 0 && members.stride == 1 && members.size == parent.npes &&
           !parent.is_irregular();
}

std::vector<int> world_pes_of(const StridedMembers& members, const Team& parent) {
    std::vector<int> pes(static_cast<std::size_t>(members.size));
    for (int i = 0; i < members.size; ++i)
        pes[static_cast<std::size_t>(i)] = parent.world_pe(members.start + i * members.stride);
    return pes;
}

// ---- Among the members only ----

// This goes up and down the tree of a meeting.
struct Proposal {
    SlotOffer offer;
    void combine(const Proposal& other) { offer.combine(other.offer); }
};

// A slot that is free on all members.
Claim agree(Meeting& meeting) {
    SlotSearch search(meeting.digest());
    while (true) {
        const SlotOffer mine = search.offer();
        Proposal common{mine};
        meeting.combine(common);
        const Claim claim = settle(mine, common.offer);
        if (claim.slot || !search.move_on(common.offer)) return claim;
    }
}

}  // namespace

NewTeam create_team(Team& parent, const StridedMembers& members, const char* where) {
    const bool is_member = has_member(members, parent.my_index);
    Meeting meeting(parent, where);
    SlotSearch search(parent.slot);
    NewTeam made;
    Begun begun;
    for (bool goes_on = true; goes_on;) {
        ProposalOfMembers common;
        if (is_member) common = {.offer = search.offer(), .has_members = 1};
        const SlotOffer mine = common.offer;
        meeting.combine(common);
        made.succeeded = common.has_members == 0 || common.offer.lowest().has_value();
        if (is_member) {
            const Claim claim = settle(mine, common.offer);
            if (claim.slot && is_copy_of(parent, members)) {
                begun = begin(claim, [&](Team& team) { return copy_members(team, parent); });
            } else if (claim.slot) {
                begun = begin(world_pes_of(members, parent), claim);
            }
        }
        goes_on = !made.succeeded && search.move_on(common.offer);
    }
    meeting.finish();  // All gates are ready.
    if (begun.team) made.team = finish(std::move(begun));
    return made;
}

NewTeam split_team(Team& parent, ColorKey color_key, const char* where) {
    MemberOffer mine;
    mine.is_member = color_key.color < 0 ? 0 : 1;
    mine.color_key = color_key;
    SlotSearch search(parent.slot);
    while (true) {
        if (mine.is_member != 0) mine.slots = search.offer();
        const std::vector<MemberOffer> offers = show_to_all(parent, mine, where);
        const SlotOffer common = common_offer(offers);
        const bool has_members = std::ranges::any_of(
            offers, [](const MemberOffer& each) { return each.is_member != 0; });
        NewTeam made;
        made.succeeded = !has_members || common.lowest().has_value();
        Begun begun;
        if (mine.is_member != 0) {
            const Claim claim = settle(mine.slots, common);
            if (claim.slot) begun = begin(members_of_color(parent, offers, color_key.color), claim);
        }
        sync(parent, where);  // All gates are ready.
        if (begun.team) made.team = finish(std::move(begun));
        if (made.succeeded || !search.move_on(common)) return made;
    }
}

NewTeam create_team_of(std::span<const int> world_pes, const char* where) {
    const int me = world_team.my_index;
    const auto my_index = std::ranges::find(world_pes, me) - world_pes.begin();
    Meeting meeting(world_pes, static_cast<int>(my_index), where);
    const Claim claim = agree(meeting);
    Begun begun;
    if (claim.slot) begun = begin(world_pes, claim);
    meeting.finish();
    if (!begun.team) return {};
    return {.succeeded = true, .team = finish(std::move(begun))};
}

void destroy_team(std::unique_ptr<Team> team) {
    leave_arrays(*team);
    if (team->lines_shown != 0) {
        team_memory().free_all_of(team.get());
        segments().forget_all_of(team.get());
        epochs().remove_windows_of(*team);
    }
    // The streams of the next team in this slot count on from the highest number.
    std::uint32_t calls = team->mailbox_calls;
    const std::uint32_t streamed = last_stream_number(*team);
    if (static_cast<std::int32_t>(streamed - calls) > 0) calls = streamed;
    // The gates' numbers wrap, those of the slots do not.
    const auto begin = static_cast<std::uint32_t>(team->first.syncs);
    const auto begin_calls = static_cast<std::uint32_t>(team->first.mailbox_calls);
    team_slots().release(team->slot,
                         {.syncs = team->first.syncs + (team->syncs - begin),
                          .mailbox_calls = team->first.mailbox_calls + (calls - begin_calls)});
}

}  // namespace tessera::collectives
