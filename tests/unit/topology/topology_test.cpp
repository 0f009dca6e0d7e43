// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when discover() miscounts cores, NUMA nodes or caches, on machines that hwloc makes up
// from a description, and on the one the test runs on.
#include "topology/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "topology/binding.hpp"

namespace tessera::topology {
namespace {

using Pus = std::vector<std::uint32_t>;

Pus first_pus(std::size_t count) {
    Pus pus(count);
    std::iota(pus.begin(), pus.end(), 0U);
    return pus;
}

// No control groups: the folder does not exist.
std::unique_ptr<Facts> look_at(const std::string& synthetic, const Pus& allowed,
                               const std::string& proc = "/nonexistent") {
    return std::make_unique<Facts>(
        discover({.allowed_pus = allowed, .proc = proc, .synthetic = synthetic}));
}

const char* const kTwoPackages = "pack:2 numa:4 l3:1 l2:8 l1d:1 core:1 pu:2";

// Every rule of waiting and binding starts from these counts.
TEST(Topology, CountsALargeMachine) {
    const auto facts = look_at(kTwoPackages, first_pus(128));
    EXPECT_EQ(facts->packages, 2u);
    EXPECT_EQ(facts->numa_nodes, 8u);
    EXPECT_EQ(facts->cores, 64u);
    EXPECT_EQ(facts->pus, 128u);
    EXPECT_EQ(facts->allowed_cores, 64u);
    EXPECT_EQ(facts->allowed_pus, 128u);
    EXPECT_EQ(facts->usable_cores, 64u);
    EXPECT_EQ(facts->usable_pus, 128u);
    EXPECT_EQ(facts->ncores_listed, 64u);
    EXPECT_EQ(facts->npus_listed, 128u);
    EXPECT_EQ(facts->cores_per_l3, 8u);
    EXPECT_EQ(facts->cpu_quota_milli, 0u);
}

// A core filed under the wrong node would get its heap from far memory.
TEST(Topology, PlacesCoresInTheirDomains) {
    const auto facts = look_at(kTwoPackages, first_pus(128));
    for (std::uint32_t i = 0; i < 64; ++i) {
        const CoreFacts& core = cores_of(*facts)[i];
        EXPECT_EQ(core.package, i / 32) << i;
        EXPECT_EQ(core.numa_node, i / 8) << i;
        EXPECT_EQ(core.l3, i / 8) << i;
        const std::span<const std::uint32_t> pus = pus_of(*facts, core);
        EXPECT_EQ(Pus(pus.begin(), pus.end()), (Pus{2 * i, 2 * i + 1}));
    }
}

// Several NUMA nodes in a package that no cache or die tells apart (Intel's sub-NUMA clusters).
TEST(Topology, NumaNodesInsideAPackage) {
    const auto facts = look_at("pack:1 l3:1 numa:2 core:4 pu:1", first_pus(8));
    ASSERT_EQ(facts->ncores_listed, 8u);
    EXPECT_EQ(facts->numa_nodes, 2u);
    for (std::uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(cores_of(*facts)[i].numa_node, i / 4) << i;
        EXPECT_EQ(cores_of(*facts)[i].l3, 0u);
    }
}

// Ordinary and high-bandwidth memory beside the same cores: the heap belongs into the ordinary.
TEST(Topology, CoreWithTwoKindsOfMemory) {
    const auto facts = look_at("pack:2 [numa(indexes=0,2,1,3)] [numa] core:2 pu:1", first_pus(4));
    ASSERT_EQ(facts->ncores_listed, 4u);
    EXPECT_EQ(facts->numa_nodes, 4u);
    EXPECT_EQ(cores_of(*facts)[0].numa_node, 0u) << "not 2";
    EXPECT_EQ(cores_of(*facts)[2].numa_node, 1u) << "not 3";
}

// mbind() wants the kernel's numbers, which need not be in the order of the machine.
TEST(Topology, NumaNodesAndPusHaveTheKernelsNumbers) {
    const auto facts =
        look_at("numa:2(indexes=3,1) core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", first_pus(8));
    ASSERT_EQ(facts->ncores_listed, 4u);
    EXPECT_EQ(cores_of(*facts)[0].numa_node, 3u);
    EXPECT_EQ(cores_of(*facts)[3].numa_node, 1u);
    const std::span<const std::uint32_t> pus = pus_of(*facts, cores_of(*facts)[1]);
    EXPECT_EQ(Pus(pus.begin(), pus.end()), (Pus{1, 5}));
}

// The affinity mask leaves part of the machine: counts and lists must hold that part only.
TEST(Topology, AffinityMaskRestrictsWhatIsUsable) {
    // One thread of core 1, both of core 2, and all of the second package's last core.
    const auto facts = look_at(kTwoPackages, {3, 127, 4, 5, 126, 4});
    EXPECT_EQ(facts->cores, 64u);
    EXPECT_EQ(facts->allowed_cores, 3u);
    EXPECT_EQ(facts->usable_cores, 3u);
    EXPECT_EQ(facts->usable_pus, 5u);
    ASSERT_EQ(facts->ncores_listed, 3u);
    EXPECT_EQ(cores_of(*facts)[0].npus, 1u);
    EXPECT_EQ(cores_of(*facts)[2].package, 1u);
    EXPECT_EQ(cores_of(*facts)[2].numa_node, 7u);
    EXPECT_EQ(plan(*facts, 3).pus, (std::vector<Pus>{{3}, {4, 5}, {126, 127}}));
}

// Too many cores for the lists: counts stay right, and what is listed is complete in itself.
TEST(Topology, ListsTheBeginningOfAHugeMachine) {
    const auto cores = look_at("pack:15 core:100 pu:1", first_pus(1500));
    EXPECT_EQ(cores->usable_cores, 1500u);
    EXPECT_EQ(cores->ncores_listed, kListedCoresMax);
    EXPECT_EQ(cores->npus_listed, kListedCoresMax);

    const auto threads = look_at("pack:9 core:100 pu:3", first_pus(2700));
    EXPECT_EQ(threads->usable_cores, 900u);
    EXPECT_EQ(threads->usable_pus, 2700u);
    EXPECT_EQ(threads->ncores_listed, kListedPusMax / 3);
    EXPECT_EQ(threads->npus_listed, kListedPusMax / 3 * 3);
    EXPECT_EQ(cores_of(*threads)[kListedPusMax / 3 - 1].npus, 3u);

    // The last core, with two threads left to it, would fit where those before it did not.
    const auto uneven = look_at("pack:9 core:100 pu:3", first_pus(2699));
    EXPECT_EQ(uneven->usable_cores, 900u);
    EXPECT_EQ(uneven->ncores_listed, kListedPusMax / 3) << "only the beginning, without holes";
}

// Sizes choose copy routines and block sizes of collectives.
TEST(Topology, ReadsCacheSizes) {
    const auto facts = look_at(
        "l3:2(size=33554432) l2:4(size=1048576) l1d:1(size=49152) core:1 pu:1", first_pus(8));
    EXPECT_EQ(facts->l1d_bytes, 49152u);
    EXPECT_EQ(facts->l2_bytes, 1048576u);
    EXPECT_EQ(facts->l3_bytes, 33554432u);
    EXPECT_EQ(facts->cores_per_l3, 4u);
    EXPECT_EQ(facts->caches_bytes(), 2 * 33554432u);
    EXPECT_EQ(cores_of(*facts)[4].l3, 1u);
}

// Machines without L3 exist (many Arm ones); no core may claim to share one.
TEST(Topology, MachineWithoutL3) {
    const auto facts = look_at("pack:1 core:4 pu:1", first_pus(4));
    EXPECT_EQ(facts->l3_bytes, 0u);
    EXPECT_EQ(facts->cores_per_l3, 0u);
    EXPECT_EQ(cores_of(*facts)[0].l3, kNoL3);
}

// A virtual machine that does not tell its cores still has processors.
TEST(Topology, MachineWithoutCores) {
    const auto facts = look_at("pack:2 pu:3", first_pus(6));
    EXPECT_EQ(facts->cores, 6u);
    EXPECT_EQ(facts->usable_cores, 6u);
    ASSERT_EQ(facts->ncores_listed, 6u);
    EXPECT_EQ(cores_of(*facts)[5].package, 1u);
}

// Without hwloc's help (no /sys in a sandbox, say) the job must still start.
TEST(Topology, FallsBackToPlainPus) {
    for (const char* description : {"nonsense", "pack:1 core:2 pu:1"}) {
        const auto facts = look_at(description, {8, 9, 11, 8});
        EXPECT_EQ(facts->usable_cores, 3u) << description;
        EXPECT_EQ(facts->usable_pus, 3u);
        EXPECT_GE(facts->cores, 3u);
        EXPECT_GE(facts->pus, 3u);
        EXPECT_GE(facts->packages, 1u);
        EXPECT_GE(facts->numa_nodes, 1u);
        EXPECT_EQ(plan(*facts, 2).pus, (std::vector<Pus>{{8}, {9}}));
    }
}

// A job that spins on 8 cores with a quota of 1.5 is stopped by the kernel most of the time.
TEST(Topology, CgroupLimitsCount) {
    std::string folder = testing::TempDir() + "tessera-topology-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::filesystem::create_directories(folder + "/self");
    std::ofstream(folder + "/self/cgroup") << "0::/\n";
    std::ofstream(folder + "/self/mountinfo")
        << "31 23 0:28 / " << folder << " rw - cgroup2 cgroup2 rw\n";
    std::ofstream(folder + "/memory.max") << "1048576\n";
    std::ofstream(folder + "/cpu.max") << "150000 100000\n";
    const auto facts = look_at("pack:1 core:8 pu:2", first_pus(16), folder);
    std::filesystem::remove_all(folder);

    EXPECT_EQ(facts->usable_cores, 2u);
    EXPECT_EQ(facts->usable_pus, 2u);
    EXPECT_EQ(facts->allowed_cores, 8u);
    EXPECT_EQ(facts->ncores_listed, 8u);
    EXPECT_EQ(facts->cpu_quota_milli, 1500u);
    EXPECT_EQ(facts->memory_bytes, 1048576u);
    EXPECT_GT(facts->machine_memory_bytes, facts->memory_bytes);

    const std::string text = describe(*facts);
    EXPECT_NE(text.find("2 cores, 2 PUs (CPU quota 1.5, affinity allows 16)"), std::string::npos)
        << text;
    EXPECT_NE(text.find("the job may use 1 MiB"), std::string::npos) << text;
}

// The text of SHMEM_INFO.
TEST(Topology, DescribesItself) {
    const auto facts =
        look_at("pack:1 l3:1(size=33554432) l2:2(size=1572864) core:1 pu:1", first_pus(1));
    facts->machine_memory_bytes = facts->memory_bytes = std::uint64_t{47} << 29;
    EXPECT_EQ(describe(*facts),
              "  machine            1 package, 1 NUMA node, 2 cores, 2 PUs\n"
              "  usable             1 core, 1 PU\n"
              "  caches             L2 1.5 MiB, L3 32 MiB for 2 cores\n"
              "  memory             23.5 GiB\n");
    EXPECT_NE(describe(*look_at("core:1 pu:1", {0})).find("not known"), std::string::npos);
}

// The real machine: whatever it is, the facts must agree with the kernel and with themselves.
TEST(Topology, ThisMachineIsConsistent) {
    const auto facts = std::make_unique<Facts>(discover());
    const Pus allowed = affinity_of(0);
    EXPECT_EQ(facts->allowed_pus, allowed.size());
    EXPECT_GE(facts->cores, facts->allowed_cores);
    EXPECT_GE(facts->pus, facts->allowed_pus);
    EXPECT_GE(facts->allowed_pus, facts->allowed_cores);
    EXPECT_GE(facts->usable_cores, 1u);
    EXPECT_GE(facts->usable_pus, facts->usable_cores);
    EXPECT_GT(facts->memory_bytes, 0u);
    EXPECT_LE(facts->memory_bytes, facts->machine_memory_bytes);

    std::set<std::uint32_t> seen;
    for (const CoreFacts& core : cores_of(*facts)) {
        for (const std::uint32_t pu : pus_of(*facts, core)) {
            EXPECT_TRUE(seen.insert(pu).second) << "PU " << pu << " listed twice";
            EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), pu));
        }
    }
    EXPECT_EQ(seen.size(), facts->npus_listed);
}

// A discovery that leaves the thread bound, or a variable set, would change the user's program.
TEST(Topology, LeavesThreadAndEnvironmentAlone) {
    const Pus before = affinity_of(0);
    ::unsetenv("HWLOC_PLUGINS_PATH");
    static_cast<void>(discover());
    EXPECT_EQ(std::getenv("HWLOC_PLUGINS_PATH"), nullptr);
    ::setenv("HWLOC_PLUGINS_PATH", "/usr/lib/mine", 1);
    static_cast<void>(discover());
    EXPECT_STREQ(std::getenv("HWLOC_PLUGINS_PATH"), "/usr/lib/mine");
    ::unsetenv("HWLOC_PLUGINS_PATH");
    EXPECT_EQ(affinity_of(0), before);
}

// A mask read wrongly gives PEs cores they may not use.
TEST(Topology, AffinityFollowsTheKernel) {
    const Pus before = affinity_of(0);
    ASSERT_FALSE(before.empty());
    EXPECT_EQ(affinity_of(::getpid()), before);
    EXPECT_TRUE(affinity_of(-1).empty());

    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(before.back(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affinity_of(0), Pus{before.back()});
    EXPECT_EQ(discover().usable_pus, 1u);

    cpu_set_t all;
    CPU_ZERO(&all);
    for (const std::uint32_t pu : before) CPU_SET(pu, &all);
    ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
}

}  // namespace
}  // namespace tessera::topology
