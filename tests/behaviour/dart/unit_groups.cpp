// SPDX-License-Identifier: BSD-3-Clause
//
// dart_group_*: sets of units, always ascending.
#include "onesided.hpp"

namespace {

using Members = std::vector<int>;

Members members_of(dart_group_t group) {
    std::size_t size = 0;
    OK(dart_group_size(group, &size));
    std::vector<dart_global_unit_t> units(size);
    OK(dart_group_getmembers(group, units.data()));
    Members members;
    for (auto unit : units) members.push_back(unit.id);
    return members;
}

bool has(dart_group_t group, int unit) {
    std::int32_t answer = -1;
    OK(dart_group_ismember(group, unit, &answer));
    CHECK(answer == 0 || answer == 1);
    return answer == 1;
}

void destroy(dart_group_t group) {
    OK(dart_group_destroy(&group));
    CHECK(group == DART_GROUP_NULL);
    OK(dart_group_destroy(&group));
}

void test_members() {
    dart_group_t group = group_of({7, 2, 2, 5});
    CHECK(members_of(group) == Members({2, 5, 7}));
    CHECK(has(group, 5) && !has(group, 3));
    OK(dart_group_delmember(group, 5));
    OK(dart_group_delmember(group, 4));
    CHECK(members_of(group) == Members({2, 7}));
    dart_group_t copy = nullptr;
    OK(dart_group_clone(group, &copy));
    OK(dart_group_addmember(group, 0));
    CHECK(members_of(copy) == Members({2, 7}));
    CHECK(members_of(group) == Members({0, 2, 7}));
    destroy(copy);
    destroy(group);
}

void test_sets() {
    dart_group_t first = group_of({1, 3, 5, 7});
    dart_group_t second = group_of({0, 3, 4, 7, 9});
    dart_group_t both = nullptr;
    OK(dart_group_union(first, second, &both));
    CHECK(members_of(both) == Members({0, 1, 3, 4, 5, 7, 9}));
    destroy(both);
    OK(dart_group_intersect(first, second, &both));
    CHECK(members_of(both) == Members({3, 7}));
    destroy(both);
    destroy(first);
    destroy(second);
}

void test_split() {
    dart_group_t group = group_of({0, 2, 4, 6, 8, 10, 12});
    std::size_t made = 0;
    dart_group_t parts[5] = {};
    OK(dart_group_split(group, 3, &made, parts));
    CHECK(made == 3);
    CHECK(members_of(parts[0]) == Members({0, 2, 4}));
    CHECK(members_of(parts[1]) == Members({6, 8, 10}));
    CHECK(members_of(parts[2]) == Members({12}));
    for (int i = 0; i < 3; ++i) destroy(parts[i]);
    // Groups of 2: the fifth one stays empty, and is there all the same.
    OK(dart_group_split(group, 5, &made, parts));
    CHECK(made == 4);
    CHECK(members_of(parts[3]) == Members({12}));
    CHECK(parts[4] != nullptr && members_of(parts[4]).empty());
    for (dart_group_t part : parts) destroy(part);
    INVALID(dart_group_split(group, 0, &made, parts));
    destroy(group);
}

void test_errors() {
    dart_group_t group = group_of({});
    std::size_t size = 1;
    std::int32_t answer = 0;
    OK(dart_group_size(group, &size));
    CHECK(size == 0);
    INVALID(dart_group_create(nullptr));
    INVALID(dart_group_size(nullptr, &size));
    INVALID(dart_group_size(group, nullptr));
    INVALID(dart_group_addmember(group, -1));
    INVALID(dart_group_addmember(nullptr, 1));
    INVALID(dart_group_delmember(nullptr, 1));
    INVALID(dart_group_ismember(nullptr, 1, &answer));
    INVALID(dart_group_clone(nullptr, &group));
    INVALID(dart_group_union(group, nullptr, &group));
    INVALID(dart_group_intersect(nullptr, group, &group));
    INVALID(dart_group_getmembers(nullptr, nullptr));
    destroy(group);
}

}  // namespace

void test_groups() {
    test_members();
    test_sets();
    test_split();
    test_errors();
}

// Units that the program does not have.
void test_group_range() {
    dart_group_t group = group_of({0});
    std::int32_t answer = 5;
    for (int unit : {-1, units(), INT32_MAX}) {
        INVALID(dart_group_addmember(group, unit));
        INVALID(dart_group_delmember(group, unit));
        INVALID(dart_group_ismember(group, unit, &answer));
        CHECK(answer == 0);
    }
    CHECK(members_of(group) == Members({0}));
    destroy(group);
}
