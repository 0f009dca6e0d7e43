// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of collectives that are not possible: all units return the error, and the next call
// works. And the limits that DART tells when they are reached, on all members alike.
#include <malloc.h>

#include <dash/dart/if/dart_tessera.h>

#include "together.hpp"

namespace {

long values[64];
std::size_t counts[8];

void test_null_buffers() {
    const int all = units();
    INVALID(dart_bcast(nullptr, 1, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    INVALID(dart_scatter(nullptr, nullptr, 1, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    INVALID(dart_gather(nullptr, nullptr, 1, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    INVALID(dart_allgather(values, nullptr, 1, DART_TYPE_LONG, DART_TEAM_ALL));
    INVALID(dart_allgather(nullptr, nullptr, 1, DART_TYPE_LONG, DART_TEAM_ALL));
    INVALID(dart_alltoall(values, nullptr, 1, DART_TYPE_LONG, DART_TEAM_ALL));
    for (int unit = 0; unit < all; ++unit) counts[unit] = 1;
    const std::vector<std::size_t> places(static_cast<std::size_t>(all), 0);
    INVALID(
        dart_allgatherv(values, 1, DART_TYPE_LONG, nullptr, counts, places.data(), DART_TEAM_ALL));
    INVALID(
        dart_allgatherv(values, 1, DART_TYPE_LONG, values, nullptr, places.data(), DART_TEAM_ALL));
    INVALID(dart_allgatherv(values, 1, DART_TYPE_LONG, values, counts, nullptr, DART_TEAM_ALL));
    INVALID(
        dart_allgatherv(values, 2, DART_TYPE_LONG, values, counts, places.data(), DART_TEAM_ALL));
    INVALID(dart_allreduce(nullptr, values, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
    INVALID(dart_allreduce(values, nullptr, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
    INVALID(dart_reduce(nullptr, values, 1, DART_TYPE_LONG, DART_OP_SUM, 0, DART_TEAM_ALL));
    // Nothing is needed where there are no elements.
    OK(dart_bcast(nullptr, 0, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    OK(dart_allreduce(nullptr, nullptr, 0, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
    check_meet();
}

void test_impossible_arguments() {
    INVALID(dart_bcast(values, 1, DART_TYPE_LONG, units(), DART_TEAM_ALL));
    INVALID(dart_bcast(values, SIZE_MAX, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    INVALID(dart_gather(values, values, SIZE_MAX / 8, DART_TYPE_LONG, 0, DART_TEAM_ALL));
    INVALID(dart_reduce(values, values, 1, DART_TYPE_LONG, DART_OP_REPLACE, 0, DART_TEAM_ALL));
    INVALID(dart_allreduce(values, values, 1, DART_TYPE_LONG, DART_OP_MINMAX, DART_TEAM_ALL));
    INVALID(dart_barrier(DART_TEAM_NULL));
    dart_gptr_t gptr = DART_GPTR_NULL;
    INVALID(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_LONG, nullptr, &gptr));
    INVALID(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_LONG, values, nullptr));
    INVALID(dart_team_lock_init(DART_TEAM_ALL, nullptr));
    INVALID(dart_allocator_new(1, DART_TEAM_ALL, nullptr));
    INVALID(dart_team_clone(DART_TEAM_ALL, nullptr));
    check_meet();
}

// As many teams as the library has collectives for; then the creation fails, and not what comes
// behind it. A team that is destroyed makes room for another one. Between nodes, with more units
// than cores, and where software keeps memory coherent, so many teams take minutes.
void test_most_teams() {
    const bool is_quick = nodes() == 1 && units() <= 3 && is_coherent();
    std::vector<dart_team_t> teams;
    dart_ret_t result = DART_OK;
    while (result == DART_OK && teams.size() < (is_quick ? 2500 : 300)) {
        teams.push_back(DART_TEAM_NULL);
        result = dart_team_clone(DART_TEAM_ALL, &teams.back());
    }
    const int failed = result == DART_OK ? 0 : 1;
    int all_failed = -1;
    OK(dart_allreduce(&failed, &all_failed, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL));
    CHECK(all_failed == failed * units());
    CHECK(failed == (is_quick ? 1 : 0));
    if (failed != 0) {
        // Each team takes team memory, too.
        CHECK(result == DART_ERR_OTHER || result == DART_ERR_NOMEM);
        CHECK(teams.back() == DART_TEAM_NULL && teams.size() > 2000);
        teams.pop_back();
    }
    for (dart_team_t team : teams) {
        int sum = 0;
        const int one = 1;
        OK(dart_allreduce(&one, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
        CHECK(sum == units());
        dart_handle_t handle = DART_HANDLE_NULL;
        OK(dart_allreduce_nb(&one, &sum, 1, DART_TYPE_INT, DART_OP_MAX, team, &handle));
        OK(dart_wait(&handle));
        CHECK(sum == 1);
    }
    for (std::size_t i = 0; i < 10; ++i) OK(dart_team_destroy(&teams[i]));
    dart_gptr_t gptr = DART_GPTR_NULL;
    OK(dart_team_memalloc_aligned(teams.back(), 10, DART_TYPE_LONG, &gptr));
    OK(dart_team_memfree(gptr));
    OK(dart_team_clone(DART_TEAM_ALL, &teams.front()));
    for (dart_team_t& team : teams) OK(dart_team_destroy(&team));
}

// A team that has ended has no localities, and its tree goes with it.
void test_localities_of_ended_teams() {
    dart_team_t team = DART_TEAM_NULL;
    OK(dart_team_clone(DART_TEAM_ALL, &team));
    OK(dart_team_locality_init(team));
    dart_unit_locality_t* place = nullptr;
    OK(dart_unit_locality(team, 0, &place));
    const dart_team_t ended = team;
    OK(dart_team_destroy(&team));
    INVALID(dart_unit_locality(ended, 0, &place));
    INVALID(dart_team_locality_finalize(ended));
    INVALID(dart_team_locality_init(ended));
}

// Bytes that malloc has given out.
std::size_t bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void test_trees_of_ended_teams_are_freed() {
    constexpr int kTeams = 200;
    constexpr std::size_t kBytesOfTree = 2000;  // and more
    std::size_t before = 0;
    for (int i = 0; i < 2 * kTeams; ++i) {
        if (i == kTeams) before = bytes_in_use();
        dart_team_t team = DART_TEAM_NULL;
        dart_unit_locality_t* place = nullptr;
        OK(dart_team_clone(DART_TEAM_ALL, &team));
        OK(dart_team_locality_init(team));
        OK(dart_unit_locality(team, 0, &place));
        OK(dart_team_destroy(&team));
    }
    CHECK(bytes_in_use() < before + kTeams * kBytesOfTree / 4);
}

}  // namespace

void test_mistakes() {
    test_null_buffers();
    test_impossible_arguments();
    test_most_teams();
    test_localities_of_ended_teams();
    test_trees_of_ended_teams_are_freed();
}
