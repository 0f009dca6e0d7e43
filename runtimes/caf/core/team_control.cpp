// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of the program (team_control.hpp). form team gathers what the images want through messages
// in the memory of the parent's barrier block, not by a collective of OpenSHMEM, so that it works
// among the images that are left after a failure.

#include "core/team_control.hpp"

#include <sched.h>
#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "core/coarray.hpp"
#include "core/failures.hpp"
#include "core/hooks.hpp"
#include "core/idle_teams.hpp"
#include "core/image_state.hpp"
#include "core/ordering.hpp"

namespace tessera::caf {
namespace {

struct Member {
    int index;  // wanted by the program, or 0
    int image;  // in the parent
};

constexpr std::int64_t kNoTeam = -1;
constexpr FormMessage kNoMessage{kNoTeam, 0, 0, 0, 0};

struct Meeting {
    std::vector<FormMessage> messages;  // one for each image of the parent
    int deaths = 0;                     // The first ones of the log came before this call.
};

// Reads what the images of the parent want in this call. All images must find the same, and some
// have heard of a death that others have not heard of. So none goes by what it knows itself: an
// image wants nothing if it has written no message in this call, or if its process is among the
// deaths that any image has written of. REQUIRES: CollectiveCall next, with these deaths: a later
// one ends the program.
Meeting read_messages(const Team& parent, const FormMessage* message) {
    Meeting meeting;
    meeting.messages.resize(static_cast<std::size_t>(parent.images));
    for (int image = 1; image <= parent.images; ++image) {
        FormMessage& said = meeting.messages[static_cast<std::size_t>(image - 1)];
        const int pe = parent.pe_of(image);
        if (!is_dead(pe)) get_bytes(&said, message, sizeof said, pe);
        if (said.call != parent.forms) said = kNoMessage;
        meeting.deaths = std::max(meeting.deaths, said.deaths);
    }
    while (count_deaths() < meeting.deaths) ::sched_yield();  // oshrun tells the nodes by turns.
    for (int i = 0; i < meeting.deaths; ++i) {
        const int image = parent.image_of(shmemx_failed_pe(i));
        if (image != 0) meeting.messages[static_cast<std::size_t>(image - 1)] = kNoMessage;
    }
    return meeting;
}

// The images that have said `number`, in the order of the parent.
std::vector<Member> find_members(const std::vector<FormMessage>& wanted, std::int64_t number) {
    std::vector<Member> members;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].number == number)
            members.push_back({wanted[i].new_index, static_cast<int>(i) + 1});
    }
    return members;
}

// Puts the members at the places that they want, the others at the free places in their order.
// RETURNS: whether each place is wanted by one image at most and exists.
bool order_members(std::vector<Member>& members) {
    std::vector<Member> ordered(members.size(), Member{0, 0});
    for (const Member& member : members) {
        if (member.index == 0) continue;
        const auto place = static_cast<std::size_t>(member.index - 1);
        if (member.index < 0 || place >= ordered.size() || ordered[place].image != 0) return false;
        ordered[place] = member;
    }
    std::size_t place = 0;
    for (const Member& member : members) {
        if (member.index != 0) continue;
        while (ordered[place].image != 0) ++place;
        ordered[place] = member;
    }
    members = std::move(ordered);
    return true;
}

// Keeps the list of PEs only where no first number and stride describe it.
void set_pes(Team& team, std::vector<int> pes) {
    team.images = static_cast<int>(pes.size());
    team.first_pe = pes[0];
    team.pe_stride = pes.size() > 1 ? pes[1] - pes[0] : 1;
    for (std::size_t i = 0; i < pes.size(); ++i) {
        if (pes[i] != team.first_pe + static_cast<int>(i) * team.pe_stride) {
            team.pes = std::move(pes);
            return;
        }
    }
}

}  // namespace

FormedTeam form_team(std::int64_t number, int new_index, const void* variable) {
    Team& parent = current_team();
    complete_all();
    define_again(variable);
    const std::uint32_t call = ++parent.forms;
    Team* const proposed = choose_redefined(parent, call);
    FormMessage* message = &parent.form_messages[call % 2];
    *message = {number > 0 ? number : kNoTeam, new_index,
                proposed != nullptr ? proposed->formed_at : 0, call, 0};
    const int status = sync_members(parent);
    if (status == kStoppedImage) return {nullptr, status, ""};
    if (status == kFailedImage) {
        message->deaths = count_deaths();
        sync_members(parent);
    }
    const auto [messages, deaths] = read_messages(parent, message);
    const CollectiveCall guard(parent, "form team", deaths);
    if (proposed != nullptr && status == kOk) make_idle_if_agreed(parent, *proposed, messages);
    if (number <= 0) return {nullptr, kBadTeam, "the number of a team is positive"};
    auto team = std::make_unique<Team>();
    team->formation = messages;
    std::vector<Member> members = find_members(team->formation, number);
    if (!order_members(members))
        return {nullptr, kBadTeam, "two images want the same new_index, or it is out of range"};
    std::vector<int> pes;
    for (const Member& member : members) pes.push_back(parent.pe_of(member.image));
    set_pes(*team, std::move(pes));
    team->this_image = team->image_of(shmem_my_pe());
    team->parent = &parent;
    team->number = number;
    team->formed_at = call;
    team->depth = parent.depth + 1;
    if (!equip(*team))
        return {nullptr, kNoMemory, "no memory for one more team; raise SHMEM_TEAM_MEMORY_SIZE"};
    Team& formed = add_team(std::move(team));
    note_variable(formed, variable);
    return {&formed, status, ""};
}

int change_team(Team& team) {
    complete_all();
    if (const int status = equip_again(team, "change team"); status != kOk) return status;
    make_current(team);
    return sync_members(team);
}

int sync_team(Team& team) {
    complete_all();
    const int status = equip_again(team, "sync team");
    return status != kOk ? status : sync_members(team);
}

int end_team() {
    Team& team = current_team();
    complete_all();
    const int status = sync_members(team);
    // Images that have failed take no part in freeing.
    if (status != kStoppedImage && detail::at_end_team != nullptr) detail::at_end_team(team);
    if (status == kOk) free_all_of(team);
    make_current(*team.parent);
    return status;
}

Team& ancestor(int distance) {
    Team* team = &current_team();
    while (distance > 0 && !team->is_initial()) {
        team = team->parent;
        --distance;
    }
    return *team;
}

bool is_related(const Team& team) {
    if (team.parent == &current_team()) return true;
    for (const Team* t = &current_team(); t != nullptr; t = t->parent) {
        if (t == &team) return true;
    }
    return false;
}

std::vector<int> pes_of_number(std::int64_t number) {
    if (number == initial_team().number) return initial_team().all_pes();
    const Team& team = current_team();
    if (team.is_initial() || number < 1) return {};
    std::vector<Member> members = find_members(team.formation, number);
    order_members(members);
    std::vector<int> pes;
    for (const Member& member : members) pes.push_back(team.parent->pe_of(member.image));
    return pes;
}

int images_of_number(std::int64_t number) { return static_cast<int>(pes_of_number(number).size()); }

int count_failed(const Team& team) {
    int failed = 0;
    for (int image = 1; image <= team.images; ++image)
        failed += status_of_pe(team.pe_of(image)) == kFailedImage ? 1 : 0;
    return failed;
}

}  // namespace tessera::caf
