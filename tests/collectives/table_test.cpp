// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a setting names an algorithm that does not exist, or the choice does not follow the
// setting and the number of cores.
#include "collectives/table.hpp"

#include <gtest/gtest.h>
#include <shmem.h>

#include <cstdlib>
#include <set>
#include <string>

#include "core/config.hpp"

namespace tessera::collectives {
namespace {

TEST(Table, EverySettingNamesARow) {
    std::set<std::string_view> rows;
    for (const SyncAlgorithm& algorithm : sync_algorithms()) {
        EXPECT_TRUE(rows.insert(algorithm.name).second) << algorithm.name << " is there twice";
        EXPECT_NE(algorithm.run, nullptr);
        EXPECT_FALSE(algorithm.cost.empty());
        EXPECT_FALSE(algorithm.best_when.empty());
    }
    for (std::string_view name : kBarrierAlgorithmNames) {
        EXPECT_TRUE(name == "auto" || rows.contains(name)) << name;
    }
    EXPECT_EQ(rows.size() + 1, std::size(kBarrierAlgorithmNames)) << "a row without a setting";
}

TEST(Table, EveryReductionSettingNamesARow) {
    std::set<std::string_view> rows;
    for (const ReduceAlgorithmRow& row : reduce_algorithms()) {
        EXPECT_TRUE(rows.insert(row.name).second) << row.name << " is there twice";
        EXPECT_NE(row.run, nullptr);
        EXPECT_FALSE(row.cost.empty());
    }
    for (std::string_view name : kReduceAlgorithmNames) {
        EXPECT_TRUE(name == "auto" || rows.contains(name)) << name;
    }
    EXPECT_EQ(rows.size() + 1, std::size(kReduceAlgorithmNames)) << "a row without a setting";
}

std::string_view choice(bool more_members_than_cores) {
    Team team;
    team.npes = 8;
    team.more_members_than_cores = more_members_than_cores;
    return choose_sync(team).name;
}

TEST(Table, FollowsTheCores) {
    EXPECT_EQ(choice(true), "central");
    EXPECT_EQ(choice(false), "dissemination");
}

// The settings are read once in a process.
void choose_with(const char* value) {
    ::setenv("SHMEM_BARRIER_ALGORITHM", value, 1);
    std::string chosen = std::string(choice(true)) + " " + std::string(choice(false));
    std::fprintf(stderr, "%s", chosen.c_str());
    std::exit(0);
}

TEST(Table, FollowsTheSetting) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(choose_with("central"), testing::ExitedWithCode(0), "^central central$");
    EXPECT_EXIT(choose_with("dissemination"), testing::ExitedWithCode(0),
                "^dissemination dissemination$");
    EXPECT_EXIT(choose_with("auto"), testing::ExitedWithCode(0), "^central dissemination$");
}

// In a job of one PE: a team's flags lie in what init makes.
TEST(Table, PrepareKeepsAChoice) {
    shmem_init();
    for (const SyncAlgorithm& algorithm : sync_algorithms()) {
        Team team;
        team.npes = 1;
        team.my_index = 0;
        prepare(team);
        EXPECT_EQ(team.sync, choose_sync(team).run);
        team.sync = algorithm.run;
        prepare(team);
        EXPECT_EQ(team.sync, algorithm.run) << algorithm.name;
    }
    shmem_finalize();
}

}  // namespace
}  // namespace tessera::collectives
