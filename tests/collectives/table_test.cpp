// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a setting names an algorithm that does not exist, when the choice does not follow the
// setting, the restrictions, the cores and the prices, or when a profile is misread.
#include "collectives/choice.hpp"

#include <gtest/gtest.h>
#include <shmem.h>

#include <cstdlib>
#include <string>

#include "collectives/profile.hpp"
#include "core/config.hpp"

namespace tessera::collectives {
namespace {

std::span<const std::string_view> names_of(Collective collective) {
    switch (collective) {
        case Collective::kBarrier: return kBarrierAlgorithmNames;
        case Collective::kBroadcast: return kBroadcastAlgorithmNames;
        case Collective::kCollect: return kCollectAlgorithmNames;
        case Collective::kFcollect: return kFcollectAlgorithmNames;
        case Collective::kAlltoall: return kAlltoallAlgorithmNames;
        case Collective::kScan: return kScanAlgorithmNames;
        case Collective::kReduce: break;
    }
    return kReduceAlgorithmNames;
}

TEST(Table, RowsAreInTheOrderOfTheSettingsNames) {
    for (std::size_t i = 0; i < kCollectives; ++i) {
        const auto collective = static_cast<Collective>(i);
        const std::vector<const Row*> rows = rows_of(collective);
        const std::span<const std::string_view> names = names_of(collective);
        ASSERT_EQ(rows.size() + 1, names.size()) << kCollectiveNames[i];
        EXPECT_EQ(names[0], "auto");
        for (std::size_t row = 0; row < rows.size(); ++row) {
            EXPECT_EQ(rows[row]->name, names[row + 1]);
            EXPECT_FALSE(rows[row]->cost_text.empty());
            EXPECT_FALSE(rows[row]->best_when.empty());
            const Restriction& limits = rows[row]->restriction;
            if (collective == Collective::kAlltoall) {
                EXPECT_EQ(limits.contiguous, alltoall_algorithms()[row].run.strided == nullptr);
            }
        }
        if (collective != Collective::kBarrier) {
            const Call worst{.npes = 3,
                             .has_links = false,
                             .is_strided = true,
                             .is_exact = false,
                             .is_reproducible = true,
                             .bytes = ~std::size_t{0}};
            EXPECT_TRUE(is_possible(rows[0]->restriction, worst)) << "nothing else may be left";
        }
    }
}

TEST(Table, CostsGrowWithWhatIsDone) {
    for (std::size_t i = 1; i < kCollectives; ++i) {
        for (const Row* row : rows_of(static_cast<Collective>(i))) {
            for (double nodes : {1, 4}) {
                Shape shape{.npes = 8, .nodes = nodes, .local = 8 / nodes, .cores = 8 / nodes};
                double before = 0;
                for (double bytes : {8, 4096, 1 << 20, 1 << 24}) {
                    shape.bytes = bytes;
                    const double now = seconds(row->cost(shape), shape, Machine{});
                    EXPECT_GE(now, before)
                        << kCollectiveNames[i] << " " << row->name << " " << bytes;
                    before = now;
                }
                EXPECT_LT(before, 10);
                Shape crowded = shape;
                crowded.cores = shape.local / 4;
                EXPECT_GT(seconds(row->cost(crowded), crowded, Machine{}), before)
                    << kCollectiveNames[i] << " " << row->name;
            }
        }
    }
}

TEST(Table, RestrictionsAreObserved) {
    const Call call{.npes = 6, .is_on_one_node = true, .has_links = true};
    auto possible_with = [&](Restriction limits) { return is_possible(limits, call); };
    EXPECT_TRUE(possible_with({}));
    EXPECT_TRUE(possible_with({.links = true, .even = true, .one_node = true}));
    EXPECT_FALSE(possible_with({.power_of_two = true}));
    EXPECT_FALSE(possible_with({.several_nodes = true}));
    EXPECT_TRUE(possible_with({.nodes_in_order = true}));
    EXPECT_TRUE(possible_with({.any_order = true, .in_order = false}));
    Call other = call;
    other.has_nodes_in_order = false;
    EXPECT_FALSE(is_possible({.nodes_in_order = true}, other));
    other.is_exact = false;
    EXPECT_FALSE(is_possible({.any_order = true}, other));
    EXPECT_TRUE(is_possible({.in_order = false}, other));
    other.is_reproducible = true;
    EXPECT_FALSE(is_possible({.in_order = false}, other));
    other.has_links = false;
    EXPECT_FALSE(is_possible({.links = true}, other));
    other.bytes = 100;
    EXPECT_TRUE(is_possible({.total_max = 600}, other));
    EXPECT_FALSE(is_possible({.total_max = 599}, other));
}

TEST(Table, TheChoiceFollowsThePrices) {
    const Call call{.npes = 8, .is_on_one_node = false, .bytes = 1 << 20};
    const Shape shape{.npes = 8, .nodes = 4, .local = 2, .cores = 2};
    Machine slow_network;
    slow_network.fabric_beta = 1e-6;
    const std::vector<const Row*> rows = rows_of(Collective::kReduce);
    auto name = [&](const Machine& machine) {
        return rows[cheapest(Collective::kReduce, call, shape, machine)]->name;
    };
    const Cost best = rows[cheapest(Collective::kReduce, call, shape, slow_network)]->cost(
        {.npes = 8, .nodes = 4, .local = 2, .cores = 2, .bytes = 1 << 20});
    EXPECT_LE(best.fabric_bytes, 2 * (1 << 20) * 3 / 4) << "bytes are dear";
    Machine dear_messages;
    dear_messages.fabric_alpha = 1;
    EXPECT_NE(name(dear_messages), name(slow_network));
}

std::string_view choice(bool more_members_than_cores) {
    Team team;
    team.npes = 8;
    team.largest_node = 8;
    team.more_members_than_cores = more_members_than_cores;
    return choose_barrier(team).row.name;
}

TEST(Table, FollowsTheCores) {
    EXPECT_EQ(choice(true), "central");
    EXPECT_EQ(choice(false), "dissemination");
}

TEST(Profile, WhatIsPrintedIsRead) {
    Machine machine;
    machine.alpha = 1.25e-7;
    machine.fabric_beta = 3.5e-10;
    Machine read;
    EXPECT_EQ(parse_profile(print_profile(machine, {{"tcp;ofi_rxm", machine}}), "", read), "");
    EXPECT_EQ(read, machine);
}

TEST(Profile, HasThePricesOfEachFabric) {
    Machine slow;
    slow.fabric_alpha = 1e-3;
    Machine fast;
    fast.fabric_alpha = 1e-6;
    const std::string text = print_profile(Machine{}, {{"tcp;ofi_rxm", slow}, {"verbs", fast}});
    const auto alpha_of = [&](const char* provider) {
        Machine machine;
        EXPECT_EQ(parse_profile(text, provider, machine), "");
        return machine.fabric_alpha;
    };
    EXPECT_EQ(alpha_of("tcp;ofi_rxm"), slow.fabric_alpha);
    EXPECT_EQ(alpha_of("verbs"), fast.fabric_alpha);
    EXPECT_EQ(alpha_of(""), slow.fabric_alpha);
    EXPECT_EQ(alpha_of("sockets"), Machine{}.fabric_alpha);
}

TEST(Profile, SaysWhatIsWrong) {
    Machine machine;
    EXPECT_EQ(parse_profile("# nothing\n\n  alpha 1e-6 # a comment\n", "", machine), "");
    EXPECT_EQ(machine.alpha, 1e-6);
    for (const char* bad : {"alpha", "alpha x", "alpha -1", "alpha 0", "alpha 1 2", "alpha nan",
                            "alpha inf", "speed 1", "alpha 1e400", "fabric"}) {
        EXPECT_EQ(
            parse_profile(std::string("beta 1e-9\n") + bad + "\n", "", machine),
            std::string("line 2: '") + bad + "' is not the name of a price and a positive number");
    }
}

// Hosts may have different numbers of PEs to a core, and all members must choose the same.
TEST(Table, BarriersBetweenNodesDoNotDependOnThisHost) {
    for (int npes = 2; npes <= 64; ++npes) {
        for (int nodes = 2; nodes <= npes; ++nodes) {
            Team team;
            team.npes = npes;
            team.is_on_one_node = false;
            team.nodes = nodes;
            team.largest_node = (npes + nodes - 1) / nodes;
            const std::string_view alone = choose_barrier(team).row.name;
            team.more_members_than_cores = true;
            EXPECT_EQ(choose_barrier(team).row.name, alone) << npes << " on " << nodes;
        }
    }
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
    for (const Entry<SyncFunction>& algorithm : barrier_algorithms()) {
        Team team;
        team.npes = 1;
        team.my_index = 0;
        prepare(team);
        EXPECT_EQ(team.sync, choose_barrier(team).run);
        team.sync = algorithm.run;
        prepare(team);
        EXPECT_EQ(team.sync, algorithm.run) << algorithm.row.name;
    }
    shmem_finalize();
}

}  // namespace
}  // namespace tessera::collectives
