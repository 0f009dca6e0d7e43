// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when PEs of many-core machines run on other cores, or get their memory in other NUMA
// nodes, than the table says. hwloc makes the machines up. The PEs' lines are those of
// oshrun --report-bindings.
#include <gtest/gtest.h>
#include <hwloc.h>
#include <hwloc/cpukinds.h>

#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "topology/binding.hpp"
#include "topology/drawing.hpp"
#include "topology/topology.hpp"

namespace tessera::topology {
namespace {

std::vector<std::uint32_t> all_pus() {
    std::vector<std::uint32_t> pus(kListedPusMax);
    std::iota(pus.begin(), pus.end(), 0U);
    return pus;
}

std::unique_ptr<Facts> made_of(const std::string& synthetic) {
    return std::make_unique<Facts>(discover(
        {.allowed_pus = all_pus(), .proc = "/nonexistent", .synthetic = synthetic, .xml = ""}));
}

const char* const kTwoPackages = "pack:2 numa:1 l3:2 core:4 pu:1";
// Sub-NUMA clusters: two NUMA nodes below one L3.
const char* const kClusters = "pack:2 l3:1 numa:2 core:4 pu:2";
const char* const kEightPackages = "pack:8 numa:1 l3:2 core:2 pu:1";
// 288 PUs: 72 cores of 4 threads in 36 tiles and 4 quadrants, without an L3.
const char* const kManyThreads = "pack:1 numa:4 l2:9 core:2 pu:4";

struct Row {
    const char* machine;
    int npes;
    BindTo bind_to;
    MapBy map_by;
    int pe;
    const char* line;
};

const Row kTable[] = {
    // Two packages, two L3 caches in each.
    {kTwoPackages, 16, BindTo::kAuto, MapBy::kCore, 0,
     "bound to package 0, NUMA node 0, L3 0, core 0 (PU 0): [B... ....][.... ....]"},
    {kTwoPackages, 16, BindTo::kAuto, MapBy::kCore, 15,
     "bound to package 1, NUMA node 1, L3 3, core 15 (PU 15): [.... ....][.... ...B]"},
    {kTwoPackages, 4, BindTo::kAuto, MapBy::kL3, 3,
     "bound to package 1, NUMA node 1, L3 3, core 12 (PU 12): [.... ....][.... B...]"},
    {kTwoPackages, 6, BindTo::kAuto, MapBy::kL3, 5,
     "bound to package 0, NUMA node 0, L3 1, core 5 (PU 5): [.... .B..][.... ....]"},
    {kTwoPackages, 4, BindTo::kAuto, MapBy::kPackage, 3,
     "bound to package 1, NUMA node 1, L3 2, core 9 (PU 9): [.... ....][.B.. ....]"},
    {kTwoPackages, 4, BindTo::kL3, MapBy::kL3, 2,
     "bound to package 1, NUMA node 1, L3 2 (PUs 8-11): [.... ....][BBBB ....]"},
    {kTwoPackages, 3, BindTo::kPackage, MapBy::kCore, 1,
     "bound to package 0, NUMA node 0 (PUs 0-7): [BBBB BBBB][.... ....]"},
    {kTwoPackages, 17, BindTo::kAuto, MapBy::kCore, 16, "not bound"},
    {kTwoPackages, 40, BindTo::kL3, MapBy::kL3, 39,
     "bound to package 1, NUMA node 1, L3 3 (PUs 12-15): [.... ....][.... BBBB]"},
    {kClusters, 8, BindTo::kCore, MapBy::kNuma, 3,
     "bound to package 1, NUMA node 3, L3 1, core 12 (PUs 24-25): [........][....B...]"},
    {kClusters, 4, BindTo::kNuma, MapBy::kNuma, 1,
     "bound to package 0, NUMA node 1, L3 0 (PUs 8-15): [....BBBB][........]"},
    {kEightPackages, 8, BindTo::kCore, MapBy::kPackage, 7,
     "bound to package 7, NUMA node 7, L3 14, core 28 (PU 28): "
     "[.. ..][.. ..][.. ..][.. ..][.. ..][.. ..][.. ..][B. ..]"},
    {kEightPackages, 9, BindTo::kCore, MapBy::kPackage, 8,
     "bound to package 0, NUMA node 0, L3 0, core 1 (PU 1): "
     "[.B ..][.. ..][.. ..][.. ..][.. ..][.. ..][.. ..][.. ..]"},
    {kManyThreads, 72, BindTo::kAuto, MapBy::kCore, 71,
     "bound to package 0, NUMA node 3, core 71 (PUs 284-287): "
     "[.......................................................................B]"},
    {kManyThreads, 288, BindTo::kNuma, MapBy::kNuma, 287,
     "bound to package 0, NUMA node 3 (PUs 216-287): "
     "[......................................................BBBBBBBBBBBBBBBBBB]"},
    {kManyThreads, 73, BindTo::kAuto, MapBy::kCore, 0, "not bound"},
};

TEST(PlacementTable, EachPeIsWhereTheTableSays) {
    for (const Row& row : kTable) {
        const auto facts = made_of(row.machine);
        const Plan result = plan(*facts, row.npes, row.bind_to, row.map_by);
        ASSERT_EQ(result.error, "");
        EXPECT_EQ(binding_text(*facts, result.pus[static_cast<std::size_t>(row.pe)]), row.line)
            << row.machine << ", PE " << row.pe << " of " << row.npes;
    }
}

// The part of a line up to its NUMA node.
std::string numa_node_of(const std::string& line) {
    const std::size_t at = line.find("NUMA node ");
    return at == std::string::npos ? "none" : line.substr(at, line.find_first_of(",(", at) - at);
}

constexpr int kCoresOfCluster = 3;

// Sub-NUMA clusters of three cores: 2 to 8 packages with 1, 2 or 4 of them, and 1 or 2 threads.
template <class Check>
void for_each_machine(Check check) {
    for (int packages = 2; packages <= 8; ++packages) {
        for (const int clusters : {1, 2, 4}) {
            for (const int threads : {1, 2}) {
                const std::string machine =
                    "pack:" + std::to_string(packages) + " l3:1 numa:" + std::to_string(clusters) +
                    " core:" + std::to_string(kCoresOfCluster) + " pu:" + std::to_string(threads);
                SCOPED_TRACE(machine);
                check(*made_of(machine), packages * clusters, clusters, threads);
            }
        }
    }
}

// With a PE for each core, PE i has core i, and its memory in the NUMA node of that core. Dealt out
// to the NUMA nodes, PE i is in node i, and starts over at the first.
TEST(PlacementTable, TwoToEightPackagesWithClusters) {
    for_each_machine([](const Facts& facts, int nodes, int clusters, int threads) {
        const int cores = nodes * kCoresOfCluster;
        const Plan all = plan(facts, cores);
        const Plan dealt = plan(facts, cores, BindTo::kCore, MapBy::kNuma);
        ASSERT_EQ(all.error + dealt.error, "");
        for (int pe = 0; pe < cores; ++pe) {
            const int node = pe / kCoresOfCluster;
            const std::string package = std::to_string(node / clusters);
            const std::string first = std::to_string(pe * threads);
            const std::string pus =
                threads == 1 ? "(PU " + first + ")"
                             : "(PUs " + first + "-" + std::to_string(pe * threads + 1) + ")";
            const auto index = static_cast<std::size_t>(pe);
            const std::string line = binding_text(facts, all.pus[index]);
            EXPECT_EQ(line.substr(0, line.find(": [")),
                      "bound to package " + package + ", NUMA node " + std::to_string(node) +
                          ", L3 " + package + ", core " + std::to_string(pe) + " " + pus);
            EXPECT_EQ(numa_node_of(binding_text(facts, dealt.pus[index])),
                      "NUMA node " + std::to_string(pe % nodes));
        }
    });
}

// Two PEs in each NUMA node leave a core for a helper, which gets it there.
TEST(PlacementTable, HelpersAreInTheNodeOfTheirNeighbour) {
    for_each_machine([](const Facts& facts, int nodes, int, int) {
        const Plan pes = plan(facts, 2 * nodes, BindTo::kCore, MapBy::kNuma);
        std::vector<int> neighbours(static_cast<std::size_t>(nodes));
        std::iota(neighbours.begin(), neighbours.end(), 0);
        const Plan helpers = plan_helpers(facts, pes, neighbours);
        ASSERT_EQ(helpers.error, "");
        std::set<std::uint32_t> taken;
        for (const auto& pus : pes.pus) taken.insert(pus.begin(), pus.end());
        for (std::size_t i = 0; i < helpers.pus.size(); ++i) {
            EXPECT_EQ(numa_node_of(binding_text(facts, helpers.pus[i])),
                      "NUMA node " + std::to_string(i));
            for (const std::uint32_t pu : helpers.pus[i]) EXPECT_TRUE(taken.insert(pu).second);
        }
    });
}

// A machine whose PUs [fast, fast + 2) of each package are of another kind than those before, as
// hwloc would export it.
std::string two_kinds(const char* synthetic, unsigned packages, unsigned of_package,
                      unsigned fast) {
    hwloc_topology_t topology = nullptr;
    EXPECT_EQ(::hwloc_topology_init(&topology), 0);
    EXPECT_EQ(::hwloc_topology_set_synthetic(topology, synthetic), 0);
    EXPECT_EQ(::hwloc_topology_load(topology), 0);
    const struct {
        unsigned first, last;
        int efficiency;
        const char* name;
    } kinds[] = {{0, fast - 1, 1, "IntelAtom"}, {fast, fast + 1, 2, "IntelCore"}};
    for (const auto& kind : kinds) {
        hwloc_bitmap_t pus = ::hwloc_bitmap_alloc();
        for (unsigned begin = 0; begin < packages * of_package; begin += of_package)
            ::hwloc_bitmap_set_range(pus, begin + kind.first, static_cast<int>(begin + kind.last));
        char type[] = "CoreType";
        std::string name = kind.name;
        hwloc_info_s info{.name = type, .value = name.data()};
        EXPECT_EQ(::hwloc_cpukinds_register(topology, pus, kind.efficiency, 1, &info, 0), 0);
        ::hwloc_bitmap_free(pus);
    }
    char* xml = nullptr;
    int bytes = 0;
    EXPECT_EQ(::hwloc_topology_export_xmlbuffer(topology, &xml, &bytes, 0), 0);
    std::string text(xml);
    ::hwloc_free_xmlbuffer(topology, xml);
    ::hwloc_topology_destroy(topology);
    return text;
}

// Two PEs on a machine of fast and efficient cores get the fast ones.
TEST(PlacementTable, FasterCoresComeFirst) {
    const auto facts =
        std::make_unique<Facts>(discover({.allowed_pus = all_pus(),
                                          .proc = "/nonexistent",
                                          .synthetic = "",
                                          .xml = two_kinds("pack:1 l3:1 core:6 pu:1", 1, 6, 4)}));
    ASSERT_EQ(facts->ncores_listed, 6u);
    const Plan result = plan(*facts, 6);
    EXPECT_EQ(binding_text(*facts, result.pus[0]),
              "bound to package 0, NUMA node 0, L3 0, core 4 (PU 4): [....B.]");
    EXPECT_EQ(binding_text(*facts, result.pus[1]),
              "bound to package 0, NUMA node 0, L3 0, core 5 (PU 5): [.....B]");
    EXPECT_EQ(binding_text(*facts, result.pus[2]),
              "bound to package 0, NUMA node 0, L3 0, core 0 (PU 0): [B.....]");
}

// The faster cores of both packages come before the efficient ones of the first.
TEST(PlacementTable, FasterCoresOfSeveralPackagesComeFirst) {
    const auto facts = std::make_unique<Facts>(
        discover({.allowed_pus = all_pus(),
                  .proc = "/nonexistent",
                  .synthetic = "",
                  .xml = two_kinds("pack:2 numa:1 l3:1 core:6 pu:1", 2, 6, 4)}));
    const Plan result = plan(*facts, 12);
    const std::uint32_t expected[] = {4, 5, 10, 11, 0, 1, 2, 3, 6, 7, 8, 9};
    ASSERT_EQ(result.pus.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(result.pus[i], std::vector<std::uint32_t>{expected[i]}) << "PE " << i;
}

TEST(PlacementTable, TheDrawingHasEveryPart) {
    EXPECT_EQ(drawing(*made_of("pack:2 numa:1 l3:2 core:2 pu:2")),
              "  package 0\n"
              "    NUMA node 0\n"
              "      L3 0: cores 0-1, PUs 0-3\n"
              "      L3 1: cores 2-3, PUs 4-7\n"
              "  package 1\n"
              "    NUMA node 1\n"
              "      L3 2: cores 4-5, PUs 8-11\n"
              "      L3 3: cores 6-7, PUs 12-15\n");
    EXPECT_EQ(drawing(*made_of("pack:1 numa:2 core:1 pu:1")),
              "  package 0\n"
              "    NUMA node 0\n"
              "      no L3: core 0, PU 0\n"
              "    NUMA node 1\n"
              "      no L3: core 1, PU 1\n");
}

// Two PUs of a core of four: the map says that it is not the whole core.
TEST(PlacementTable, PartsOfCoresAndSeveralPackages) {
    const auto facts = made_of("pack:2 numa:1 l3:1 core:2 pu:4");
    EXPECT_EQ(binding_text(*facts, std::vector<std::uint32_t>{0, 1}),
              "bound to package 0, NUMA node 0, L3 0, core 0 (PUs 0-1): [b.][..]");
    EXPECT_EQ(binding_text(*facts, std::vector<std::uint32_t>{0, 9}),
              "bound to several packages (PUs 0,9): [b.][b.]");
}

}  // namespace
}  // namespace tessera::topology
