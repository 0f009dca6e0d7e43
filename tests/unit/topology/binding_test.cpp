// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the binding planner gives PEs the wrong cores, on machines that are made up here,
// core by core.
#include "topology/binding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace tessera::topology {
namespace {

using Pus = std::vector<std::uint32_t>;

// Facts are too large for comfort on the stack, so tests hold them by pointer.
using FactsPointer = std::unique_ptr<Facts>;

// One core of NUMA node `numa_node` with the given PUs.
void add_core(Facts& facts, std::uint16_t numa_node, const Pus& pus) {
    CoreFacts& core = facts.listed_cores[facts.ncores_listed++];
    core.numa_node = numa_node;
    core.first_pu = facts.npus_listed;
    core.npus = static_cast<std::uint16_t>(pus.size());
    std::copy(pus.begin(), pus.end(), facts.listed_pus + facts.npus_listed);
    facts.npus_listed += core.npus;
    facts.cores = facts.allowed_cores = facts.usable_cores = facts.ncores_listed;
    facts.pus = facts.allowed_pus = facts.usable_pus = facts.npus_listed;
}

// Nodes with the given numbers of cores and one PU a core, numbered through.
FactsPointer machine(const std::vector<int>& cores_of_nodes) {
    auto facts = std::make_unique<Facts>();
    std::uint32_t pu = 0;
    for (std::size_t node = 0; node < cores_of_nodes.size(); ++node) {
        for (int i = 0; i < cores_of_nodes[node]; ++i)
            add_core(*facts, static_cast<std::uint16_t>(node), {pu++});
    }
    return facts;
}

// 2 packages x 4 NUMA nodes x 8 cores x 2 threads, with Linux's usual numbers: core i has the PUs i
// and i + 64.
FactsPointer large_machine() {
    auto facts = std::make_unique<Facts>();
    for (std::uint32_t core = 0; core < 64; ++core)
        add_core(*facts, static_cast<std::uint16_t>(core / 8), {core, core + 64});
    return facts;
}

// The first PU of each PE.
Pus first_pus(const Plan& plan) {
    Pus pus;
    for (const Pus& of_pe : plan.pus) pus.push_back(of_pe.empty() ? ~0U : of_pe.front());
    return pus;
}

bool is_unbound(const Plan& plan, std::size_t npes) {
    return plan.error.empty() && plan.pus == std::vector<Pus>(npes);
}

// PEs that share a core while others idle run at half speed.
TEST(Binding, AutoGivesEveryPeACoreOfItsOwn) {
    const FactsPointer facts = large_machine();
    for (const MapBy map_by : {MapBy::kCore, MapBy::kNuma, MapBy::kNode}) {
        for (int npes = 1; npes <= 64; ++npes) {
            const Plan result = plan(*facts, npes, BindTo::kAuto, map_by);
            ASSERT_EQ(result.error, "");
            ASSERT_EQ(result.pus.size(), static_cast<std::size_t>(npes));
            std::set<std::uint32_t> used;
            for (const Pus& pus : result.pus) {
                ASSERT_EQ(pus.size(), 2u) << "both threads of the core";
                ASSERT_EQ(pus[1], pus[0] + 64);
                ASSERT_TRUE(used.insert(pus[0]).second) << "core given twice";
            }
        }
    }
}

// Bound PEs that outnumber the cores could not be moved to where there is room.
TEST(Binding, AutoLeavesPesUnboundWhenOversubscribed) {
    const FactsPointer facts = large_machine();
    EXPECT_TRUE(is_unbound(plan(*facts, 65), 65));
    EXPECT_TRUE(is_unbound(plan(*facts, 128), 128)) << "threads of a core are not cores";
    EXPECT_TRUE(is_unbound(plan(*machine({1}), 2), 2));
}

// A CPU quota below the number of cores is oversubscription too, but forbids no explicit binding.
TEST(Binding, QuotaCountsForAutoOnly) {
    const FactsPointer facts = machine({8});
    facts->usable_cores = 2;
    EXPECT_FALSE(plan(*facts, 2).pus[1].empty());
    EXPECT_TRUE(is_unbound(plan(*facts, 3), 3));
    EXPECT_EQ(first_pus(plan(*facts, 3, BindTo::kCore)), (Pus{0, 1, 2}));
}

TEST(Binding, OneCore) { EXPECT_EQ(plan(*machine({1}), 1).pus, std::vector<Pus>{{0}}); }

// Wrong neighbours cost bandwidth: communicating neighbours should share a cache by default.
TEST(Binding, MapByCoreFillsOneNodeAfterTheOther) {
    const FactsPointer facts = machine({4, 4});
    EXPECT_EQ(first_pus(plan(*facts, 6, BindTo::kCore, MapBy::kCore)), (Pus{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(first_pus(plan(*facts, 6, BindTo::kCore, MapBy::kNode)), (Pus{0, 1, 2, 3, 4, 5}));
}

// Memory-bound programs with few PEs want all memory controllers.
TEST(Binding, MapByNumaTakesNodesInTurn) {
    const FactsPointer facts = machine({4, 4, 4});
    EXPECT_EQ(first_pus(plan(*facts, 7, BindTo::kCore, MapBy::kNuma)), (Pus{0, 4, 8, 1, 5, 9, 2}));
}

// An affinity mask can leave nodes of different sizes, even empty ones.
TEST(Binding, MapByNumaPassesOverExhaustedNodes) {
    const FactsPointer facts = machine({1, 0, 3, 2});
    EXPECT_EQ(first_pus(plan(*facts, 6, BindTo::kCore, MapBy::kNuma)), (Pus{0, 1, 4, 2, 5, 3}));
}

// NUMA nodes need not be numbered from 0 nor be listed in ascending order.
TEST(Binding, NumaNodesOfAnyNumberAndOrder) {
    const auto facts = std::make_unique<Facts>();
    add_core(*facts, 7, {30});
    add_core(*facts, 7, {31});
    add_core(*facts, 2, {10, 50});
    add_core(*facts, 2, {11});
    EXPECT_EQ(first_pus(plan(*facts, 4, BindTo::kCore, MapBy::kNuma)), (Pus{30, 10, 31, 11}));
    EXPECT_EQ(plan(*facts, 2, BindTo::kNuma, MapBy::kNuma).pus,
              (std::vector<Pus>{{30, 31}, {10, 50, 11}}));
}

// Binding to a node must cover all of the node's usable PUs and none of another node.
TEST(Binding, BindToNumaGivesTheWholeNode) {
    const FactsPointer facts = large_machine();
    Pus second_node;
    for (std::uint32_t core = 8; core < 16; ++core) {
        second_node.push_back(core);
        second_node.push_back(core + 64);
    }
    const Plan by_core = plan(*facts, 16, BindTo::kNuma, MapBy::kCore);
    EXPECT_EQ(by_core.pus[0], by_core.pus[7]);
    EXPECT_EQ(by_core.pus[8], second_node);
    const Plan by_numa = plan(*facts, 16, BindTo::kNuma, MapBy::kNuma);
    EXPECT_EQ(by_numa.pus[1], second_node);
    EXPECT_EQ(by_numa.pus[9], second_node);
}

// More PEs than cores may share nodes; the order starts again.
TEST(Binding, BindToNumaTakesAnyNumberOfPes) {
    const FactsPointer facts = machine({2, 2});
    const Plan result = plan(*facts, 6, BindTo::kNuma, MapBy::kCore);
    EXPECT_EQ(result.pus, (std::vector<Pus>{{0, 1}, {0, 1}, {2, 3}, {2, 3}, {0, 1}, {0, 1}}));
}

// Threads of a PE that share cores with another PE's run at half speed.
TEST(Binding, CoresForThreadsOfAPe) {
    const FactsPointer facts = machine({4, 4});
    EXPECT_EQ(plan(*facts, 4, BindTo::kAuto, MapBy::kCore, {.cores_per_pe = 2}).pus,
              (std::vector<Pus>{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    EXPECT_EQ(plan(*facts, 3, BindTo::kCore, MapBy::kNuma, {.cores_per_pe = 2}).pus,
              (std::vector<Pus>{{0, 1}, {4, 5}, {2, 3}}));
    EXPECT_TRUE(is_unbound(plan(*facts, 5, BindTo::kAuto, MapBy::kCore, {.cores_per_pe = 2}), 5));
    const Plan refused = plan(*facts, 5, BindTo::kCore, MapBy::kCore, {.cores_per_pe = 2});
    EXPECT_NE(refused.error.find("needs 2 cores for each PE"), std::string::npos);
}

TEST(Binding, SeveralPesOfAPartBeforeTheNext) {
    const FactsPointer facts = machine({4, 4});
    EXPECT_EQ(first_pus(plan(*facts, 4, BindTo::kCore, MapBy::kNuma, {.pes_per_part = 2})),
              (Pus{0, 1, 4, 5}));
    EXPECT_EQ(
        plan(*facts, 2, BindTo::kCore, MapBy::kNuma, {.cores_per_pe = 2, .pes_per_part = 1}).pus,
        (std::vector<Pus>{{0, 1}, {4, 5}}));
    EXPECT_EQ(part_count(*facts, MapBy::kNuma), 2);
    EXPECT_EQ(part_count(*facts, MapBy::kCore), 8);
}

TEST(Binding, HardwareThreads) {
    const FactsPointer facts = large_machine();
    EXPECT_EQ(plan(*facts, 3, BindTo::kHwthread, MapBy::kHwthread).pus,
              (std::vector<Pus>{{0}, {64}, {1}}));
    const Plan spread = plan(*facts, 65, BindTo::kHwthread);
    EXPECT_EQ(spread.pus[1], (Pus{1}));
    EXPECT_EQ(spread.pus[64], (Pus{64}));
    EXPECT_NE(plan(*facts, 129, BindTo::kHwthread).error, "");
}

TEST(Binding, BindToNoneBindsNothing) {
    EXPECT_TRUE(is_unbound(plan(*large_machine(), 3, BindTo::kNone, MapBy::kNuma), 3));
}

// Two PEs on one core when a core each was asked for would be a silent 2x slowdown.
TEST(Binding, BindToCoreRefusesMorePesThanCores) {
    const FactsPointer facts = machine({2});
    const Plan result = plan(*facts, 3, BindTo::kCore);
    EXPECT_TRUE(result.pus.empty());
    EXPECT_EQ(result.error,
              "binding to cores needs one core for each PE, but this node has 2 for 3 PEs; start "
              "fewer PEs here, or bind to l3, numa, package or none");
    facts->cores = 64;
    EXPECT_NE(plan(*facts, 3, BindTo::kCore).error.find("of 64; the affinity mask or cpuset"),
              std::string::npos);
}

// Beyond the listed cores no binding is known; counts are right, so nothing must be invented.
TEST(Binding, MoreCoresThanAreListed) {
    const FactsPointer facts = machine({static_cast<int>(kListedCoresMax)});
    facts->cores = facts->allowed_cores = facts->usable_cores = 1500;
    EXPECT_TRUE(is_unbound(plan(*facts, 1200), 1200));
    EXPECT_FALSE(plan(*facts, 1024).pus[1023].empty());
    EXPECT_NE(plan(*facts, 1200, BindTo::kCore).error.find("limit of this library"),
              std::string::npos);
}

// A node without PEs, and facts without any core, must not divide by zero.
// 2 packages x 2 NUMA nodes x 2 caches x 2 cores.
FactsPointer machine_of_16() {
    FactsPointer facts = machine({4, 4, 4, 4});
    for (std::uint16_t core = 0; core < 16; ++core) {
        facts->listed_cores[core].l3 = core / 2;
        facts->listed_cores[core].package = core / 8;
    }
    return facts;
}

TEST(Binding, HelpersGetTheNearestFreeCores) {
    const FactsPointer facts = machine_of_16();
    const Plan pes = plan(*facts, 5);  // cores 0 to 4
    const int near_all[] = {4, 4, 4, 4, 0};
    // Same cache, same NUMA node (two), same package, other package.
    EXPECT_EQ(first_pus(plan_helpers(*facts, pes, near_all)), (Pus{5, 6, 7, 8, 9}));
    const int near_first[] = {0, 4};
    EXPECT_EQ(first_pus(plan_helpers(*facts, pes, near_first)), (Pus{5, 6}));
}

TEST(Binding, HelpersAreRefusedWhereNoCoreIsFree) {
    const FactsPointer facts = machine_of_16();
    const int one[] = {0};
    EXPECT_EQ(plan_helpers(*facts, plan(*facts, 15), one).error, "");
    EXPECT_EQ(first_pus(plan_helpers(*facts, plan(*facts, 15), one)), Pus{15});
    const std::string full = plan_helpers(*facts, plan(*facts, 16), one).error;
    EXPECT_NE(full.find("helpers need 1 cores"), std::string::npos) << full;
    // PEs that may run anywhere leave none.
    EXPECT_NE(plan_helpers(*facts, plan(*facts, 2, BindTo::kNone), one).error, "");
    facts->usable_cores = 3;  // a CPU quota
    EXPECT_EQ(plan_helpers(*facts, plan(*facts, 2), one).error, "");
    EXPECT_NE(plan_helpers(*facts, plan(*facts, 3), one).error, "");
}

TEST(Binding, NothingToBind) {
    EXPECT_TRUE(is_unbound(plan(*machine({4}), 0, BindTo::kCore), 0));
    const auto empty = std::make_unique<Facts>();
    EXPECT_TRUE(is_unbound(plan(*empty, 2), 2));
    EXPECT_TRUE(is_unbound(plan(*empty, 2, BindTo::kNuma, MapBy::kNuma), 2));
    EXPECT_NE(plan(*empty, 2, BindTo::kCore).error, "");
}

}  // namespace
}  // namespace tessera::topology
