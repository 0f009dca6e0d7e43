// SPDX-License-Identifier: BSD-3-Clause
//
// See groups.hpp.
#include "conformance/groups.hpp"

#include <sched.h>

#include <algorithm>

#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

constexpr int kSyncSizes[] = {SHMEM_BARRIER_SYNC_SIZE,  SHMEM_BCAST_SYNC_SIZE,
                              SHMEM_COLLECT_SYNC_SIZE,  SHMEM_REDUCE_SYNC_SIZE,
                              SHMEM_ALLTOALL_SYNC_SIZE, SHMEM_ALLTOALLS_SYNC_SIZE,
                              SHMEM_SYNC_SIZE};
constexpr int kSyncSize = *std::max_element(std::begin(kSyncSizes), std::end(kSyncSizes));

static_assert(SHMEM_SYNC_VALUE == 0, "the arrays are static");
long sync_arrays[2][kSyncSize];  // symmetric
unsigned changes = 0;
// Enough for the longest reduction of the tests, of any type.
char work[1 << 19];

void add(std::vector<Group>& groups, const char* name, shmem_team_t team, std::vector<int> pes) {
    Group group{name, std::move(pes), -1, team, 0, 0};
    auto mine = std::find(group.pes.begin(), group.pes.end(), shmem_my_pe());
    if (mine != group.pes.end()) group.my_index = static_cast<int>(mine - group.pes.begin());
    groups.push_back(std::move(group));
}

void add_strided(std::vector<Group>& groups, const char* name, int start, int stride, int size) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &team),
              0);
    std::vector<int> pes;
    for (int i = 0; i < size; ++i) pes.push_back(start + i * stride);
    add(groups, name, team, pes);
}

// Rows and columns: every PE is in one of each, at the same time as the others.
void add_grid(std::vector<Group>& groups, int columns) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    columns = std::min(columns, npes);
    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    ASSERT_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, columns, nullptr, 0, &row, nullptr, 0, &column),
              0);
    std::vector<int> row_pes;
    std::vector<int> column_pes;
    for (int pe = 0; pe < npes; ++pe) {
        if (pe / columns == me / columns) row_pes.push_back(pe);
        if (pe % columns == me % columns) column_pes.push_back(pe);
    }
    add(groups, "row", row, row_pes);
    add(groups, "column", column, column_pes);
}

std::vector<Group> make_teams() {
    const int npes = shmem_n_pes();
    std::vector<int> world;
    for (int pe = 0; pe < npes; ++pe) world.push_back(pe);
    std::vector<Group> groups;
    add(groups, "SHMEM_TEAM_WORLD", SHMEM_TEAM_WORLD, world);
    std::vector<int> shared;
    for (int i = 0; i < shmem_team_n_pes(SHMEM_TEAM_SHARED); ++i)
        shared.push_back(shmem_team_translate_pe(SHMEM_TEAM_SHARED, i, SHMEM_TEAM_WORLD));
    add(groups, "SHMEM_TEAM_SHARED", SHMEM_TEAM_SHARED, shared);
    add_strided(groups, "backwards", npes - 1, -1, npes);
    add_strided(groups, "even", 0, 2, (npes + 1) / 2);
    add_strided(groups, "lower half", 0, 1, npes / 2 + 1);
    add_strided(groups, "upper half", npes / 2, 1,
                npes - npes / 2);  // shares one PE with the lower
    if (npes >= 3) add_strided(groups, "every third, backwards", npes - 1, -3, (npes + 2) / 3);
    add_strided(groups, "the last one", npes - 1, 0, 1);
    add_grid(groups, 2);
    add_grid(groups, 3);

    // A team of a team: every other PE of the world backwards.
    shmem_team_t nested = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_team_split_strided(groups[2].team, 0, 2, (npes + 1) / 2, nullptr, 0, &nested),
              0);
    std::vector<int> pes;
    for (int pe = npes - 1; pe >= 0; pe -= 2) pes.push_back(pe);
    add(groups, "every other one, backwards", nested, pes);
    return groups;
}

std::vector<Group> make_active_sets() {
    const int npes = shmem_n_pes();
    std::vector<Group> groups;
    std::vector<int> world;
    for (int pe = 0; pe < npes; ++pe) world.push_back(pe);
    add(groups, "the world as an active set", SHMEM_TEAM_INVALID, world);
    for (int log_stride = 0; log_stride < 3; ++log_stride) {
        for (int start : {0, 1, npes - 1}) {
            const int stride = 1 << log_stride;
            if (start >= npes) continue;
            std::vector<int> pes;
            for (int pe = start; pe < npes; pe += stride) pes.push_back(pe);
            if (start == 0 && log_stride == 0 && npes > 2) pes.pop_back();
            add(groups, "", SHMEM_TEAM_INVALID, pes);
            Group& group = groups.back();
            group.start = start;
            group.log_stride = log_stride;
            group.name = "PE_start " + std::to_string(start) + ", logPE_stride " +
                         std::to_string(log_stride) + ", PE_size " + std::to_string(pes.size());
        }
    }
    return groups;
}

}  // namespace

std::span<const Group> team_groups() {
    static const std::vector<Group> groups = make_teams();
    return groups;
}

std::span<const Group> active_set_groups() {
    static const std::vector<Group> groups = make_active_sets();
    return groups;
}

void change_psync() { ++changes; }

long* psync() { return sync_arrays[changes % 2]; }

void* work_array() { return work; }

void expect_psync_restored() {
    for (const auto& array : sync_arrays) {
        for (long element : array) EXPECT_EQ(element, SHMEM_SYNC_VALUE) << "pSync was not restored";
    }
}

void come_late_in_turn(unsigned turn) {
    if (turn % static_cast<unsigned>(shmem_n_pes()) != static_cast<unsigned>(shmem_my_pe())) return;
    for (int i = 0; i < 3; ++i) sched_yield();
}

}  // namespace tessera::conformance
