// SPDX-License-Identifier: BSD-3-Clause
//
// dart_team_*: teams of any members, whose numbers all members agree on.
#include <algorithm>

#include "onesided.hpp"

namespace {

using Members = std::vector<int>;

dart_team_t create(dart_team_t parent, const Members& members) {
    dart_group_t group = group_of(members);
    dart_team_t team = 77;
    OK(dart_team_create(parent, group, &team));
    OK(dart_group_destroy(&group));
    return team;
}

// Members whose numbers have no common distance, where there are enough of them.
Members irregular_members() {
    Members members;
    for (int unit = 0; unit < units(); ++unit) {
        if (unit % 4 != 2) members.push_back(unit);
    }
    return members;
}

bool contains(const Members& members, int unit) {
    return std::find(members.begin(), members.end(), unit) != members.end();
}

void check_translation(dart_team_t team, const Members& members) {
    for (int unit = 0; unit < units(); ++unit) {
        dart_team_unit_t local = 55;
        OK(dart_team_unit_g2l(team, unit, &local));
        const auto place = std::find(members.begin(), members.end(), unit);
        CHECK(local.id == (place == members.end() ? -1 : place - members.begin()));
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        dart_global_unit_t global = 55;
        OK(dart_team_unit_l2g(team, static_cast<int>(i), &global));
        CHECK(global.id == members[i]);
    }
    dart_global_unit_t global = 55;
    INVALID(dart_team_unit_l2g(team, static_cast<int>(members.size()), &global));
    CHECK(global.id == -1);
    INVALID(dart_team_unit_l2g(team, -1, &global));
}

// The number is the same on all members, and the group is what the team was made of.
void check_team(dart_team_t team, const Members& members) {
    if (!contains(members, me())) {
        CHECK(team == DART_TEAM_NULL);
        return;
    }
    CHECK(team > 0);
    std::size_t size = 0;
    OK(dart_team_size(team, &size));
    CHECK(size == members.size());
    dart_team_unit_t my_id = -1;
    OK(dart_team_myid(team, &my_id));
    CHECK(members[static_cast<std::size_t>(my_id.id)] == me());
    check_translation(team, members);
    std::vector<dart_team_t> numbers(size);
    OK(dart_allgather(&team, numbers.data(), 1, DART_TYPE_SHORT, team));
    CHECK(std::count(numbers.begin(), numbers.end(), team) == static_cast<long>(size));
    dart_group_t group = nullptr;
    OK(dart_team_get_group(team, &group));
    std::vector<dart_global_unit_t> units(size);
    OK(dart_group_getmembers(group, units.data()));
    for (std::size_t i = 0; i < size; ++i) CHECK(units[i].id == members[i]);
    OK(dart_group_destroy(&group));
}

void destroy(dart_team_t team) {
    OK(dart_team_destroy(&team));
    CHECK(team == DART_TEAM_NULL);
    OK(dart_team_destroy(&team));
}

void test_all_units() {
    std::size_t size = 0;
    dart_team_unit_t my_id = -1;
    OK(dart_team_size(DART_TEAM_ALL, &size));
    OK(dart_team_myid(DART_TEAM_ALL, &my_id));
    CHECK(static_cast<int>(size) == units() && my_id.id == me());
    dart_global_unit_t global = -1;
    dart_team_unit_t local = -1;
    OK(dart_team_unit_l2g(DART_TEAM_ALL, me(), &global));
    OK(dart_team_unit_g2l(DART_TEAM_ALL, me(), &local));
    CHECK(global.id == me() && local.id == me());
    for (int unit : {-1, units(), INT32_MAX}) {
        INVALID(dart_team_unit_l2g(DART_TEAM_ALL, unit, &global));
        OK(dart_team_unit_g2l(DART_TEAM_ALL, unit, &local));
        CHECK(global.id == -1 && local.id == -1);
    }
}

void test_nested() {
    const Members members = irregular_members();
    const dart_team_t team = create(DART_TEAM_ALL, members);
    check_team(team, members);
    if (team == DART_TEAM_NULL) return;
    dart_team_t copy = DART_TEAM_NULL;
    OK(dart_team_clone(team, &copy));
    CHECK(copy != team);
    check_team(copy, members);
    // A team of a team: all members but the first one, who is left without a team.
    const Members rest(members.begin() + (members.size() > 1 ? 1 : 0), members.end());
    const dart_team_t inner = create(copy, rest);
    CHECK(inner != team && inner != copy);
    check_team(inner, rest);
    destroy(inner);
    destroy(copy);
    destroy(team);
}

// Each half gives its own group in the same call.
void test_disjoint() {
    const int half = (units() + 1) / 2;
    Members members;
    for (int unit = 0; unit < units(); ++unit) {
        if ((unit < half) == (me() < half)) members.push_back(unit);
    }
    const dart_team_t team = create(DART_TEAM_ALL, members);
    check_team(team, members);
    std::vector<dart_team_t> numbers(static_cast<std::size_t>(units()));
    OK(dart_allgather(&team, numbers.data(), 1, DART_TYPE_SHORT, DART_TEAM_ALL));
    CHECK(std::count(numbers.begin(), numbers.end(), team) == units());
    // Only the second half ends its team now; the next number is new for all.
    if (me() >= half) destroy(team);
    const dart_team_t later = create(DART_TEAM_ALL, {0});
    check_team(later, {0});
    CHECK(later != team);
    destroy(later);
    if (me() < half) destroy(team);
}

void test_no_team() {
    dart_team_t team = 77;
    dart_group_t group = group_of({});
    OK(dart_team_create(DART_TEAM_ALL, group, &team));
    CHECK(team == DART_TEAM_NULL);
    team = 77;
    INVALID(dart_team_create(DART_TEAM_ALL, nullptr, &team));
    CHECK(team == DART_TEAM_NULL);
    INVALID(dart_team_create(DART_TEAM_NULL, group, &team));
    INVALID(dart_team_create(12345, group, &team));
    INVALID(dart_team_create(DART_TEAM_ALL, group, nullptr));
    OK(dart_group_destroy(&group));
    INVALID(dart_team_clone(12345, &team));
}

void test_errors() {
    std::size_t size = 7;
    dart_team_unit_t local = 7;
    dart_global_unit_t global = 7;
    dart_group_t group = nullptr;
    for (int number : {-1, 12345, INT16_MAX}) {
        const auto team = static_cast<dart_team_t>(number);
        INVALID(dart_team_myid(team, &local));
        CHECK(local.id == -1);
        INVALID(dart_team_size(team, &size));
        INVALID(dart_team_get_group(team, &group));
        INVALID(dart_team_unit_l2g(team, 0, &global));
        INVALID(dart_team_unit_g2l(team, 0, &local));
    }
    dart_team_t all = DART_TEAM_ALL;
    INVALID(dart_team_destroy(&all));
    all = 12345;
    INVALID(dart_team_destroy(&all));
}

}  // namespace

void test_teams() {
    test_all_units();
    test_nested();
    check_meet();
    test_disjoint();
    test_no_team();
    test_errors();
}
