// SPDX-License-Identifier: BSD-3-Clause
//
// dart_team_* (dart_team_group.h), dart_myid, dart_size.
#include <dash/dart/if/dart_team_group.h>
#include <shmemx.h>

#include <algorithm>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "teams/group.hpp"
#include "teams/ids.hpp"
#include "teams/live_teams.hpp"

namespace tessera::dart {
namespace {

dart_ret_t fail_team(const char* routine, dart_team_t team) {
    return fail(DART_ERR_INVAL, routine, "there is no team %d on this unit", team);
}
dart_ret_t fail_null(const char* routine) {
    return fail(DART_ERR_INVAL, routine, "the place for the result is NULL");
}

// RETURNS: the numbers of the units in the parent; empty: not all are members.
std::vector<int> numbers_in(const Team& parent, const std::vector<int>& units) {
    std::vector<int> numbers(units.size());
    std::transform(units.begin(), units.end(), numbers.begin(),
                   [&](int unit) { return parent.unit_of(unit); });
    if (std::find(numbers.begin(), numbers.end(), -1) != numbers.end()) {
        numbers.clear();
    }
    return numbers;
}

// Makes the team on its members; the other units of the parent have done their part.
dart_ret_t make_team(const Team& parent, dart_team_t id, const std::vector<int>& units,
                     const std::vector<int>& numbers, const char* routine) {
    shmem_team_t handle = SHMEM_TEAM_INVALID;
    if (shmemx_team_create(parent.handle, numbers.data(), static_cast<int>(numbers.size()), nullptr,
                           0, &handle) != 0) {
        return fail(DART_ERR_OTHER, routine, "a unit is in too many teams; destroy some");
    }
    detail::teams[id].store(new Team(id, handle, units), std::memory_order_release);
    return DART_OK;
}

dart_ret_t create_team(const Team& parent, const std::vector<int>& units, dart_team_t* newteam,
                       const char* routine) {
    const std::vector<int> numbers = numbers_in(parent, units);
    if (numbers.empty()) {
        return fail(DART_ERR_INVAL, routine, "the group has units that are not in team %d",
                    parent.id);
    }
    const int id = choose_team_id(parent);
    if (id == kNoTeamId) {
        return fail(DART_ERR_OTHER, routine, "no number is left for a team; destroy some");
    }
    if (!std::binary_search(units.begin(), units.end(), my_unit())) {
        return DART_OK;
    }
    const dart_ret_t result =
        make_team(parent, static_cast<dart_team_t>(id), units, numbers, routine);
    if (result == DART_OK) {
        *newteam = static_cast<dart_team_t>(id);
    }
    return result;
}

}  // namespace

DART_ENTRY dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t* group) {
    if (group == nullptr) {
        return fail_null(__func__);
    }
    *group = DART_GROUP_NULL;
    const Team* team = find_team(teamid);
    if (team == nullptr) {
        return fail_team(__func__, teamid);
    }
    *group = new dart_group_struct{team->units()};
    return DART_OK;
}

// A group without members stands for no team, on all units: dart_group_split makes such groups.
DART_ENTRY dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group,
                                       dart_team_t* newteam) {
    if (newteam == nullptr) {
        return fail_null(__func__);
    }
    *newteam = DART_TEAM_NULL;
    const Team* parent = find_team(teamid);
    if (parent == nullptr) {
        return fail_team(__func__, teamid);
    }
    if (group == DART_GROUP_NULL) {
        return fail(DART_ERR_INVAL, __func__, "the group is NULL");
    }
    return group->units.empty() ? DART_OK : create_team(*parent, group->units, newteam, __func__);
}

DART_ENTRY dart_ret_t dart_team_clone(dart_team_t team, dart_team_t* newteam) {
    if (newteam == nullptr) {
        return fail_null(__func__);
    }
    *newteam = DART_TEAM_NULL;
    const Team* parent = find_team(team);
    if (parent == nullptr) {
        return fail_team(__func__, team);
    }
    return create_team(*parent, parent->units(), newteam, __func__);
}

// After dart_exit all teams are gone, and static destructors may still destroy theirs.
DART_ENTRY dart_ret_t dart_team_destroy(dart_team_t* teamid) {
    if (teamid == nullptr) {
        return fail_null(__func__);
    }
    if (*teamid == DART_TEAM_NULL || !is_running()) {
        *teamid = DART_TEAM_NULL;
        return DART_OK;
    }
    Team* team = find_team(*teamid);
    if (team == nullptr || *teamid == DART_TEAM_ALL) {
        return fail(DART_ERR_INVAL, __func__, "team %d cannot be destroyed on this unit", *teamid);
    }
    end_team(team);
    *teamid = DART_TEAM_NULL;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t* myid) {
    if (myid == nullptr) [[unlikely]] {
        return fail_null(__func__);
    }
    const Team* team = find_team(teamid);
    if (team == nullptr) [[unlikely]] {
        myid->id = DART_UNDEFINED_UNIT_ID;
        return fail_team(__func__, teamid);
    }
    myid->id = team->my_id;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_size(dart_team_t teamid, size_t* size) {
    if (size == nullptr) [[unlikely]] {
        return fail_null(__func__);
    }
    const Team* team = find_team(teamid);
    if (team == nullptr) [[unlikely]] {
        *size = 0;
        return fail_team(__func__, teamid);
    }
    *size = static_cast<size_t>(team->size);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_myid(dart_global_unit_t* myid) {
    if (myid == nullptr) [[unlikely]] {
        return fail_null(__func__);
    }
    if (!is_running()) [[unlikely]] {
        myid->id = DART_UNDEFINED_UNIT_ID;
        return fail(DART_ERR_OTHER, __func__, "DART does not run; call dart_init first");
    }
    myid->id = my_unit();
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_size(size_t* size) {
    if (size == nullptr) [[unlikely]] {
        return fail_null(__func__);
    }
    if (!is_running()) [[unlikely]] {
        *size = 0;
        return fail(DART_ERR_OTHER, __func__, "DART does not run; call dart_init first");
    }
    *size = static_cast<size_t>(n_units());
    return DART_OK;
}

// The numbers in the team of all units are the global ones, of any unit.
DART_ENTRY dart_ret_t dart_team_unit_l2g(dart_team_t team, dart_team_unit_t localid,
                                         dart_global_unit_t* globalid) {
    if (globalid == nullptr) [[unlikely]] {
        return fail_null(__func__);
    }
    globalid->id = localid.id;
    if (team == DART_TEAM_ALL) {
        return DART_OK;
    }
    const Team* members = find_team(team);
    if (members == nullptr ||
        static_cast<unsigned>(localid.id) >= static_cast<unsigned>(members->size)) [[unlikely]] {
        globalid->id = DART_UNDEFINED_UNIT_ID;
        return fail(DART_ERR_INVAL, __func__, "team %d has no unit %d", team, localid.id);
    }
    globalid->id = members->global_unit(localid.id);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_unit_g2l(dart_team_t team, dart_global_unit_t globalid,
                                         dart_team_unit_t* localid) {
    if (localid == nullptr) [[unlikely]] {
        return fail_null(__func__);
    }
    localid->id = globalid.id;
    if (team == DART_TEAM_ALL) {
        return DART_OK;
    }
    const Team* members = find_team(team);
    if (members == nullptr) [[unlikely]] {
        localid->id = DART_UNDEFINED_UNIT_ID;
        return fail_team(__func__, team);
    }
    localid->id = members->unit_of(globalid.id);
    return DART_OK;
}

}  // namespace tessera::dart
