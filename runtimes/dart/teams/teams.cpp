// SPDX-License-Identifier: BSD-3-Clause
//
// dart_team_* (dart_team_group.h), dart_myid, dart_size.
#include <dash/dart/if/dart_team_group.h>
#include <shmemx.h>

#include <algorithm>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "teams/group.hpp"
#include "teams/ids.hpp"
#include "teams/live_teams.hpp"

namespace tessera::dart {
namespace {

// RETURNS: the numbers of the units in the parent; empty: not all are members.
std::vector<int> numbers_in(const Team& parent, const std::vector<int>& units) {
    std::vector<int> numbers(units.size());
    std::transform(units.begin(), units.end(), numbers.begin(),
                   [&](int unit) { return parent.unit_of(unit); });
    if (std::find(numbers.begin(), numbers.end(), -1) != numbers.end()) numbers.clear();
    return numbers;
}

// Teams that this unit is in.
int count_teams() {
    int count = 0;
    for (int id = 0; id <= last_team_id(); ++id)
        count += find_team(static_cast<dart_team_t>(id)) != nullptr ? 1 : 0;
    return count;
}

// Whether the team has collectives; the same on all members. OpenSHMEM makes more teams than it has
// mailboxes for, and the others serve for transfers only: no routine of DART would do for them.
bool has_collectives(shmem_team_t handle) {
    std::int32_t nothing = 0;
    return shmemx_allreduce(handle, &nothing, &nothing, 1, SHMEMX_TYPE_INT32, SHMEMX_OP_MAX) == 0;
}

// Makes the team on its members; the other units of the parent have done their part.
dart_ret_t add_team(const Team& parent, dart_team_t id, const std::vector<int>& units,
                    const std::vector<int>& numbers, const char* routine) {
    shmem_team_t handle = SHMEM_TEAM_INVALID;
    if (shmemx_team_create(parent.handle, numbers.data(), static_cast<int>(numbers.size()), nullptr,
                           0, &handle) != 0) {
        return fail(DART_ERR_NOMEM, routine,
                    "no memory is left for a team; this unit is in %d teams: destroy some by "
                    "dart_team_destroy",
                    count_teams());
    }
    const bool is_usable = has_collectives(handle);
    Team* team = is_usable ? make_team(id, handle, units) : nullptr;
    if (team == nullptr) shmem_team_destroy(handle);
    if (!is_usable) {
        return fail(DART_ERR_OTHER, routine,
                    "a unit is in as many teams as can have collectives, %d on this one: destroy "
                    "some by dart_team_destroy",
                    count_teams());
    }
    if (team == nullptr) {
        return fail(DART_ERR_NOMEM, routine,
                    "no team memory is left for a team; make SHMEM_TEAM_MEMORY_SIZE larger");
    }
    // Pairs with core/team.hpp:find_team.
    detail::teams[id].store(team, std::memory_order_release);
    return DART_OK;
}

dart_ret_t create_team(Collective& call, const std::vector<int>& units, dart_team_t* newteam,
                       const char* routine) {
    const std::vector<int> numbers = numbers_in(call.team(), units);
    if (numbers.empty()) {
        call.refuse(fail(DART_ERR_INVAL, routine, "the group has units that are not in team %d",
                         call.team().id));
    }
    if (!call.begin()) return call.fail_together();
    const Team& parent = call.team();
    const int id = choose_team_id(parent);
    if (id == kNoTeamId)
        return fail(DART_ERR_OTHER, routine, "no number is left for a team; destroy some");
    if (!std::binary_search(units.begin(), units.end(), my_unit())) return DART_OK;
    const dart_ret_t result =
        add_team(parent, static_cast<dart_team_t>(id), units, numbers, routine);
    if (result == DART_OK) *newteam = static_cast<dart_team_t>(id);
    return result;
}

}  // namespace

DART_ENTRY dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t* group) {
    if (group == nullptr) return fail_null(__func__);
    *group = DART_GROUP_NULL;
    const Team* team = team_of_call(teamid, __func__);
    if (team == nullptr) return bad_argument();
    *group = add_group({team->units()});
    return DART_OK;
}

// A group without members stands for no team, on all units: dart_group_split makes such groups, and
// the interface wants no communication for them, nor for DART_GROUP_NULL.
DART_ENTRY dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group,
                                       dart_team_t* newteam) {
    Collective call(teamid, __func__);
    call.check_place(newteam);
    if (newteam != nullptr) *newteam = DART_TEAM_NULL;
    const Group* members = find_group(group);
    if (call.is_possible() && members == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "group %p is NULL or none, or has been destroyed",
                    static_cast<void*>(group));
    }
    if (!call.is_possible()) {
        call.begin();
        return call.fail_together();
    }
    return members->units.empty() ? DART_OK : create_team(call, members->units, newteam, __func__);
}

DART_ENTRY dart_ret_t dart_team_clone(dart_team_t team, dart_team_t* newteam) {
    Collective call(team, __func__);
    call.check_place(newteam);
    if (newteam != nullptr) *newteam = DART_TEAM_NULL;
    if (!call.is_possible()) {
        call.begin();
        return call.fail_together();
    }
    return create_team(call, call.team().units(), newteam, __func__);
}

// After dart_exit all teams are gone, and static destructors may still destroy theirs.
DART_ENTRY dart_ret_t dart_team_destroy(dart_team_t* teamid) {
    if (teamid == nullptr) return fail_null(__func__);
    if (*teamid == DART_TEAM_NULL || !is_running()) {
        *teamid = DART_TEAM_NULL;
        return DART_OK;
    }
    Team* team = find_team(*teamid);
    if (team == nullptr || *teamid == DART_TEAM_ALL)
        return fail(DART_ERR_INVAL, __func__, "team %d cannot be destroyed on this unit", *teamid);
    end_team(team);
    *teamid = DART_TEAM_NULL;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t* myid) {
    if (myid == nullptr) [[unlikely]]
        return fail_null(__func__);
    const Team* team = team_of_call(teamid, __func__);
    if (team == nullptr) [[unlikely]] {
        myid->id = DART_UNDEFINED_UNIT_ID;
        return bad_argument();
    }
    myid->id = team->my_id;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_size(dart_team_t teamid, size_t* size) {
    if (size == nullptr) [[unlikely]]
        return fail_null(__func__);
    const Team* team = team_of_call(teamid, __func__);
    if (team == nullptr) [[unlikely]] {
        *size = 0;
        return bad_argument();
    }
    *size = static_cast<size_t>(team->size);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_myid(dart_global_unit_t* myid) {
    if (myid == nullptr) [[unlikely]]
        return fail_null(__func__);
    if (!is_running()) [[unlikely]] {
        myid->id = DART_UNDEFINED_UNIT_ID;
        return fail_not_running(__func__);
    }
    myid->id = my_unit();
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_size(size_t* size) {
    if (size == nullptr) [[unlikely]]
        return fail_null(__func__);
    if (!is_running()) [[unlikely]] {
        *size = 0;
        return fail_not_running(__func__);
    }
    *size = static_cast<size_t>(n_units());
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_unit_l2g(dart_team_t team, dart_team_unit_t localid,
                                         dart_global_unit_t* globalid) {
    if (globalid == nullptr) [[unlikely]]
        return fail_null(__func__);
    globalid->id = DART_UNDEFINED_UNIT_ID;
    const Team* members = team_of_call(team, __func__);
    if (members == nullptr) [[unlikely]]
        return bad_argument();
    if (static_cast<unsigned>(localid.id) >= static_cast<unsigned>(members->size)) [[unlikely]] {
        return fail(DART_ERR_INVAL, __func__, "unit %d is not in [0, %d), the units of team %d",
                    localid.id, members->size, team);
    }
    globalid->id = members->global_unit(localid.id);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_unit_g2l(dart_team_t team, dart_global_unit_t globalid,
                                         dart_team_unit_t* localid) {
    if (localid == nullptr) [[unlikely]]
        return fail_null(__func__);
    localid->id = DART_UNDEFINED_UNIT_ID;
    const Team* members = team_of_call(team, __func__);
    if (members == nullptr) [[unlikely]]
        return bad_argument();
    localid->id = members->unit_of(globalid.id);
    return DART_OK;
}

}  // namespace tessera::dart
