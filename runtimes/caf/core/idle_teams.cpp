// SPDX-License-Identifier: BSD-3-Clause
//
// Teams whose variables are defined again (idle_teams.hpp).

#include "core/idle_teams.hpp"

#include <shmem.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "core/image_state.hpp"
#include "core/report.hpp"

namespace tessera::caf {
namespace {

// As teams() in team.cpp.
struct Variables {
    std::unordered_map<const void*, Team*> teams;  // as form team has defined the variables
    std::deque<Team*> idle;                        // the oldest first, children before parents
};
Variables& variables() {
    static Variables& all = *new Variables;
    return all;
}

// An order of the teams of a parent that is the same on all its images and differs from call to
// call, so that images with several candidates soon propose the same one.
std::uint32_t order_in_call(const Team& team, std::uint32_t call) {
    constexpr std::uint32_t kOdd = 2654435761U;  // spreads neighbours (Knuth)
    return (team.formed_at ^ call * kOdd) * kOdd;
}

bool descends_from(const Team& team, const Team& ancestor) {
    for (const Team* t = &team; t != nullptr; t = t->parent) {
        if (t == &ancestor) return true;
    }
    return false;
}

void forget_variable(Team& team) {
    if (team.variable != nullptr) variables().teams.erase(std::exchange(team.variable, nullptr));
}

void make_idle(Team& team) {
    team.barrier.reset();
    team.form_messages = nullptr;
    team.redefined.clear();
    team.own_exposed = nullptr;
    team.exposed.clear();
    team.broadcasts = 0;
    shmem_team_destroy(std::exchange(team.handle, SHMEM_TEAM_INVALID));  // with its memory
    variables().idle.push_back(&team);
}

void delete_oldest_idle() {
    while (variables().idle.size() > kIdleTeamsMax) {
        Team& oldest = *variables().idle.front();
        variables().idle.pop_front();
        forget_variable(oldest);
        delete_team(oldest);
    }
}

}  // namespace

void define_again(const void* variable) {
    const auto found = variables().teams.find(variable);
    if (found == variables().teams.end()) return;
    Team& team = *found->second;
    forget_variable(team);
    if (!team.is_idle()) team.parent->redefined.push_back(&team);
}

void note_variable(Team& team, const void* variable) {
    if (variable == nullptr) return;
    team.variable = variable;
    variables().teams[variable] = &team;
}

Team* choose_redefined(const Team& parent, std::uint32_t call) {
    const auto first = std::min_element(
        parent.redefined.begin(), parent.redefined.end(), [&](const Team* a, const Team* b) {
            return order_in_call(*a, call) < order_in_call(*b, call);
        });
    return first == parent.redefined.end() ? nullptr : *first;
}

void make_idle_if_agreed(Team& parent, Team& proposed, const std::vector<FormMessage>& messages) {
    for (int image = 1; image <= proposed.images; ++image) {
        const int in_parent = parent.image_of(proposed.pe_of(image));
        if (messages[static_cast<std::size_t>(in_parent - 1)].redefined != proposed.formed_at)
            return;
    }
    std::erase(parent.redefined, &proposed);
    // The newest first: on all images the same order, and children before their parents.
    const std::vector<Team*> doomed = teams_from(proposed);
    for (auto team = doomed.rbegin(); team != doomed.rend(); ++team) {
        if (descends_from(**team, proposed)) make_idle(**team);
    }
    delete_oldest_idle();
}

int equip_again(Team& team, const char* routine) {
    if (!team.is_idle()) [[likely]]
        return kOk;
    const std::vector<int> pes = team.all_pes();
    // Behind it all images are here, so that none can stop before the team is made.
    if (const int status = sync_with_pes(pes.data(), team.images); status != kOk) return status;
    if (!equip(team))
        stop_with_error(routine, "no memory for the team; raise SHMEM_TEAM_MEMORY_SIZE");
    std::erase(variables().idle, &team);
    if (team.variable == nullptr) {
        team.parent->redefined.push_back(&team);  // The next form team may make it idle again.
    }
    return kOk;
}

}  // namespace tessera::caf
