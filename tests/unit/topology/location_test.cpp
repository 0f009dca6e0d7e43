// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when locate() names a part of the machine that the process is not bound to, or does not
// name one that it is bound to.
#include "topology/location.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace tessera::topology {
namespace {

using Pus = std::vector<std::uint32_t>;

// 2 packages of 4 NUMA domains with an L3 and 8 cores each, 2 PUs a core.
std::unique_ptr<Facts> two_packages(const Pus& allowed) {
    return std::make_unique<Facts>(
        discover({.allowed_pus = allowed,
                  .proc = "/nonexistent",
                  .synthetic = "pack:2 numa:4 l3:1 l2:8 l1d:1 core:1 pu:2"}));
}

Pus range(std::uint32_t first, std::uint32_t count) {
    Pus pus;
    for (std::uint32_t i = 0; i < count; ++i) pus.push_back(first + i);
    return pus;
}

void expect(const Location& location, std::int32_t package, std::int32_t numa_domain,
            std::int32_t cache_cluster, std::int32_t core) {
    EXPECT_EQ(location.package, package);
    EXPECT_EQ(location.numa_domain, numa_domain);
    EXPECT_EQ(location.cache_cluster, cache_cluster);
    EXPECT_EQ(location.core, core);
}

TEST(Location, NamesTheCommonParts) {
    const auto facts = two_packages(range(0, 128));
    expect(locate(*facts, range(0, 1)), 0, 0, 0, 0);
    expect(locate(*facts, range(126, 2)), 1, 7, 7, 63);
    expect(locate(*facts, range(16, 16)), 0, 1, 1, -1);  // All PUs of a NUMA domain.
    expect(locate(*facts, range(0, 32)), 0, -1, -1, -1);
    expect(locate(*facts, range(0, 128)), -1, -1, -1, -1);
    expect(locate(*facts, Pus{0, 127}), -1, -1, -1, -1);
    expect(locate(*facts, Pus{1, 2, 1 + 2}), 0, 0, 0, -1);
}

// The numbers are those of the machine, not of the part that the job may use.
TEST(Location, CountsTheWholeMachine) {
    const auto facts = two_packages(range(64, 64));
    expect(locate(*facts, range(64, 2)), 1, 4, 4, 32);
}

TEST(Location, KnowsOnlyListedProcessors) {
    const auto facts = two_packages(range(0, 16));
    expect(locate(*facts, range(0, 32)), -1, -1, -1, -1);
    expect(locate(*facts, Pus{}), -1, -1, -1, -1);
}

TEST(Location, LeavesOutCachesThatTheMachineLacks) {
    const auto facts = std::make_unique<Facts>(discover(
        {.allowed_pus = range(0, 4), .proc = "/nonexistent", .synthetic = "pack:2 core:2 pu:1"}));
    expect(locate(*facts, Pus{3}), 1, 0, -1, 3);
}

}  // namespace
}  // namespace tessera::topology
