// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a setting names an algorithm that does not exist, when the choice does not follow the
// setting, the restrictions, the cores and the machine's parameters, or when a profile is misread.
#include "collectives/select.hpp"
#include "collectives/choice.hpp"

#include <gtest/gtest.h>
#include <shmem.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/profile.hpp"
#include "settings/config.hpp"

namespace tessera::collectives {
namespace {

TEST(Select, SettingsHaveTheNamesOfTheLists) {
    for (std::size_t i = 0; i < kCollectives; ++i) {
        const auto collective = static_cast<Collective>(i);
        const auto all = traits_of(collective);
        const Names known = algorithm_names(collective);
        ASSERT_EQ(all.size() + 1, known.size()) << kCollectiveNames[i];
        EXPECT_EQ(known[0], "auto");
        std::set<std::string_view> seen{"auto"};
        for (std::size_t k = 0; k < all.size(); ++k) {
            EXPECT_EQ(all[k]->name, known[k + 1]);
            EXPECT_TRUE(seen.insert(all[k]->name).second) << all[k]->name;
            EXPECT_FALSE(all[k]->formula.empty());
            EXPECT_FALSE(all[k]->best_when.empty());
        }
    }
    for (const Algorithm<Alltoall>* algorithm : algorithms<Alltoall>())
        EXPECT_EQ(algorithm->restriction.contiguous, algorithm->run.strided == nullptr);
}

TEST(Select, TheFirstAlgorithmCanDoEveryCall) {
    const Call worst{.npes = 3,
                     .has_mailboxes = false,
                     .is_strided = true,
                     .dependence = OrderDependence::kRounding,
                     .is_reproducible = true,
                     .bytes = ~std::size_t{0}};
    // Barriers choose among all.
    for (std::size_t i = 1; i <= static_cast<std::size_t>(Collective::kReduce); ++i) {
        const auto all = traits_of(static_cast<Collective>(i));
        EXPECT_TRUE(is_possible(all[0]->restriction, worst)) << kCollectiveNames[i];
    }
}

// The program's function may not commute, the element have any size, and memory be short.
TEST(Select, SomeAlgorithmCanDoEveryCallOfTheRuntimeLayer) {
    for (const bool is_nonblocking : {false, true}) {
        const Call worst{.npes = 3,
                         .is_on_one_node = false,
                         .has_nodes_in_order = false,
                         .dependence = OrderDependence::kOrder,
                         .bytes = ~std::size_t{0},
                         .is_private = true,
                         .can_stage = false,
                         .is_out_of_reach = true,
                         .is_nonblocking = is_nonblocking};
        for (std::size_t i = 0; i < kCollectives; ++i) {
            const auto collective = static_cast<Collective>(i);
            const bool is_of_layer = collective != Collective::kCollect &&
                                     collective != Collective::kScan &&
                                     (collective != Collective::kBarrier || is_nonblocking);
            const auto all = traits_of(collective);
            EXPECT_EQ(std::ranges::any_of(
                          all, [&](auto* one) { return is_possible(one->restriction, worst); }),
                      is_of_layer)
                << kCollectiveNames[i];
        }
    }
}

// Between nodes the algorithms that know them serve private arrays, too.
TEST(Select, PrivateArraysHaveNodeAwareAlgorithms) {
    const TeamLayout team{.npes = 8, .nodes = 2, .largest_node = 4, .cores = 4};
    for (const Collective collective : {Collective::kBroadcast, Collective::kFcollect,
                                        Collective::kReduce, Collective::kReduceScatter}) {
        const Call call{.npes = 8, .is_on_one_node = false, .bytes = 1 << 19, .is_private = true};
        const auto chosen = cheapest(collective, call, team, MachineParameters{});
        EXPECT_EQ(traits_of(collective)[chosen]->name, "hierarchical")
            << kCollectiveNames[static_cast<std::size_t>(collective)];
    }
}

TEST(Select, CostsGrowWithWhatIsDone) {
    for (std::size_t i = 1; i < kCollectives; ++i) {
        for (const AlgorithmTraits* algorithm : traits_of(static_cast<Collective>(i))) {
            for (double nodes : {1, 4}) {
                const TeamLayout team{
                    .npes = 8, .nodes = nodes, .largest_node = 8 / nodes, .cores = 8 / nodes};
                const auto time = [&](const TeamLayout& layout, double bytes) {
                    return seconds(algorithm->cost(layout, bytes), layout, bytes,
                                   MachineParameters{});
                };
                double before = 0;
                for (double bytes : {8, 4096, 1 << 20, 1 << 24}) {
                    EXPECT_GE(time(team, bytes), before)
                        << kCollectiveNames[i] << " " << algorithm->name << " " << bytes;
                    before = time(team, bytes);
                }
                EXPECT_LT(before, 10);
                TeamLayout oversubscribed = team;
                oversubscribed.cores = team.largest_node / 4;
                EXPECT_GT(time(oversubscribed, 1 << 24), before)
                    << kCollectiveNames[i] << " " << algorithm->name;
            }
        }
    }
}

TEST(Select, RestrictionsAreObserved) {
    const Call call{.npes = 6, .is_on_one_node = true, .has_mailboxes = true};
    auto possible_with = [&](Restriction limits) { return is_possible(limits, call); };
    EXPECT_TRUE(possible_with({}));
    EXPECT_TRUE(possible_with({.mailboxes = true, .even = true, .one_node = true}));
    EXPECT_FALSE(possible_with({.power_of_two = true}));
    EXPECT_FALSE(possible_with({.several_nodes = true}));
    EXPECT_TRUE(possible_with({.nodes_in_order = true}));
    EXPECT_TRUE(possible_with({.any_order = true, .in_order = false}));
    Call other = call;
    other.has_nodes_in_order = false;
    EXPECT_FALSE(is_possible({.nodes_in_order = true}, other));
    other.dependence = OrderDependence::kRounding;
    EXPECT_FALSE(is_possible({.any_order = true}, other));
    EXPECT_TRUE(is_possible({.in_order = false}, other));
    other.is_reproducible = true;
    EXPECT_FALSE(is_possible({.in_order = false}, other));
    other.dependence = OrderDependence::kSpecialValues;
    EXPECT_TRUE(is_possible({.in_order = false}, other));
    EXPECT_FALSE(is_possible({.any_order = true}, other)) << "NaN: members would differ";
    other.has_mailboxes = false;
    EXPECT_FALSE(is_possible({.mailboxes = true}, other));
    other.bytes = 100;
    EXPECT_TRUE(is_possible({.total_max = 600}, other));
    EXPECT_FALSE(is_possible({.total_max = 599}, other));
}

TEST(Select, OrderDependenceFollowsOperatorAndType) {
    EXPECT_EQ(order_dependence(Operator::kSum, element_of<long>()), OrderDependence::kNone);
    EXPECT_EQ(order_dependence(Operator::kMax, Element::kUint64), OrderDependence::kNone);
    EXPECT_EQ(order_dependence(Operator::kXor, Element::kInt8), OrderDependence::kNone);
    EXPECT_EQ(order_dependence(Operator::kMax, Element::kFloat), OrderDependence::kSpecialValues);
    EXPECT_EQ(order_dependence(Operator::kMin, element_of<long double>()),
              OrderDependence::kSpecialValues);
    EXPECT_EQ(order_dependence(Operator::kSum, Element::kFloat), OrderDependence::kRounding);
    EXPECT_EQ(order_dependence(Operator::kProd, Element::kComplexDouble),
              OrderDependence::kRounding);
}

TEST(Select, TheChoiceFollowsTheMachine) {
    const Call call{.npes = 8, .is_on_one_node = false, .bytes = 1 << 20};
    const TeamLayout team{.npes = 8, .nodes = 4, .largest_node = 2, .cores = 2};
    MachineParameters slow_network;
    slow_network.off_node_gap_per_byte = 1e-6;
    const auto chosen = [&](const MachineParameters& machine) {
        return traits_of(Collective::kReduce)[cheapest(Collective::kReduce, call, team, machine)];
    };
    const Cost best = chosen(slow_network)->cost(team, 1 << 20);
    EXPECT_LE(best.off_node_bytes, 2 * (1 << 20) * 3 / 4) << "bytes are dear";
    MachineParameters dear_messages;
    dear_messages.off_node_latency = 1;
    EXPECT_NE(chosen(dear_messages)->name, chosen(slow_network)->name);
}

std::string_view choice(bool more_members_than_cores) {
    Team team;
    team.npes = 8;
    team.largest_node = 8;
    team.more_members_than_cores = more_members_than_cores;
    return choose_barrier(team).name;
}

TEST(Select, FollowsTheCores) {
    EXPECT_EQ(choice(true), "central");
    EXPECT_EQ(choice(false), "dissemination");
}

TEST(Profile, WhatIsPrintedIsRead) {
    MachineParameters machine;
    machine.alpha = 1.25e-7;
    machine.off_node_gap_per_byte = 3.5e-10;
    MachineParameters read;
    EXPECT_EQ(parse_profile(print_profile(machine, {{"tcp;ofi_rxm", machine}}), "", read), "");
    EXPECT_EQ(read, machine);
    machine.helper_bytes = 16384;
    machine.off_node_helper_bytes = 65536;
    EXPECT_EQ(parse_profile(print_profile(machine, {{"tcp;ofi_rxm", machine}}), "", read), "");
    EXPECT_EQ(read, machine);
}

TEST(Profile, HasTheParametersOfEachFabric) {
    MachineParameters slow;
    slow.off_node_latency = 1e-3;
    MachineParameters fast;
    fast.off_node_latency = 1e-6;
    const std::string text =
        print_profile(MachineParameters{}, {{"tcp;ofi_rxm", slow}, {"verbs", fast}});
    const auto alpha_of = [&](const char* provider) {
        MachineParameters machine;
        EXPECT_EQ(parse_profile(text, provider, machine), "");
        return machine.off_node_latency;
    };
    EXPECT_EQ(alpha_of("tcp;ofi_rxm"), slow.off_node_latency);
    EXPECT_EQ(alpha_of("verbs"), fast.off_node_latency);
    EXPECT_EQ(alpha_of(""), slow.off_node_latency);
    EXPECT_EQ(alpha_of("sockets"), MachineParameters{}.off_node_latency);
}

TEST(Profile, SaysWhatIsWrong) {
    MachineParameters machine;
    EXPECT_EQ(parse_profile("# nothing\n\n  alpha 1e-6 # a comment\n", "", machine), "");
    EXPECT_EQ(machine.alpha, 1e-6);
    for (const char* bad : {"alpha", "alpha x", "alpha -1", "alpha 0", "alpha 1 2", "alpha nan",
                            "alpha inf", "speed 1", "alpha 1e400", "fabric"}) {
        EXPECT_EQ(parse_profile(std::string("beta 1e-9\n") + bad + "\n", "", machine),
                  std::string("line 2: '") + bad +
                      "' is not the name of a parameter and a positive "
                      "number");
    }
}

// Hosts may have different numbers of PEs to a core, and all members must choose the same.
TEST(Select, BarriersBetweenNodesDoNotDependOnThisHost) {
    for (int npes = 2; npes <= 64; ++npes) {
        for (int nodes = 2; nodes <= npes; ++nodes) {
            Team team;
            team.npes = npes;
            team.is_on_one_node = false;
            team.nodes = nodes;
            team.largest_node = (npes + nodes - 1) / nodes;
            const std::string_view alone = choose_barrier(team).name;
            team.more_members_than_cores = true;
            EXPECT_EQ(choose_barrier(team).name, alone) << npes << " on " << nodes;
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

TEST(Select, FollowsTheSetting) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(choose_with("central"), testing::ExitedWithCode(0), "^central central$");
    EXPECT_EXIT(choose_with("dissemination"), testing::ExitedWithCode(0),
                "^dissemination dissemination$");
    EXPECT_EXIT(choose_with("auto"), testing::ExitedWithCode(0), "^central dissemination$");
}

// In a job of one PE: a team's flags lie in what init makes.
TEST(Select, PrepareKeepsAChoice) {
    shmem_init();
    for (const Algorithm<Barrier>* algorithm : algorithms<Barrier>()) {
        if (algorithm->restriction.nonblocking) continue;  // no barrier of a team
        Team team;
        team.npes = 1;
        team.my_index = 0;
        prepare(team);
        EXPECT_EQ(team.sync, choose_barrier(team).run);
        team.sync = algorithm->run;
        prepare(team);
        EXPECT_EQ(team.sync, algorithm->run) << algorithm->name;
    }
    shmem_finalize();
}

}  // namespace
}  // namespace tessera::collectives
