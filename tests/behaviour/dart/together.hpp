// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of dart_together_test, which share one job. Each begins and ends with all units
// together.
#pragma once

#include "onesided.hpp"

void test_moves();
void test_nonblocking();
void test_reductions();
void test_messages();
void test_locks();
void test_allocators();
void test_places();
void test_domains();
void test_locality_split();
void test_handles();
void test_mistakes();

// A team of the units whose numbers are `first`, first + step, ...; all units call it. Units that
// are not in it receive DART_TEAM_NULL.
inline dart_team_t team_of(int first, int step) {
    std::vector<int> members;
    for (int unit = first; unit < units(); unit += step) members.push_back(unit);
    dart_group_t group = group_of(members);
    dart_team_t team = DART_TEAM_NULL;
    OK(dart_team_create(DART_TEAM_ALL, group, &team));
    OK(dart_group_destroy(&group));
    return team;
}

inline int size_of(dart_team_t team) {
    std::size_t size = 0;
    OK(dart_team_size(team, &size));
    return static_cast<int>(size);
}

inline int id_in(dart_team_t team) {
    dart_team_unit_t id;
    OK(dart_team_myid(team, &id));
    return id.id;
}
