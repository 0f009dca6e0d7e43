// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when oshrun and a PE, or two PEs, disagree about which PEs form a virtual node.
#include "base/virtual_nodes.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(VirtualNodes, ThereAreAsManyAsWantedButNoneIsEmpty) {
    EXPECT_EQ(virtual_node_count(5, 0), 1);
    EXPECT_EQ(virtual_node_count(5, 1), 1);
    EXPECT_EQ(virtual_node_count(5, 3), 3);
    EXPECT_EQ(virtual_node_count(5, 5), 5);
    EXPECT_EQ(virtual_node_count(5, 4294967295), 5);
    EXPECT_EQ(virtual_node_count(0, 2), 1);
}

TEST(VirtualNodes, AreRunsOfNeighboursOfEqualLength) {
    for (int npes = 1; npes <= 20; ++npes) {
        for (int nodes = 1; nodes <= npes; ++nodes) {
            int next = 0;
            for (int number = 0; number < nodes; ++number) {
                VirtualNode node = virtual_node(number, npes, nodes);
                EXPECT_EQ(node.number, number);
                EXPECT_EQ(node.first, next);
                EXPECT_GE(node.npes, npes / nodes);
                EXPECT_LE(node.npes, npes / nodes + 1);
                for (int i = node.first; i < node.first + node.npes; ++i) {
                    VirtualNode same = virtual_node_of(i, npes, nodes);
                    EXPECT_EQ(same.number, number);
                    EXPECT_EQ(same.first, node.first);
                    EXPECT_EQ(same.npes, node.npes);
                    EXPECT_EQ(same.number, i * nodes / npes);
                }
                next = node.first + node.npes;
            }
            EXPECT_EQ(next, npes);
        }
    }
}

TEST(VirtualNodes, LargeNumbersDoNotOverflow) {
    constexpr int kMany = 2'000'000'000;
    VirtualNode last = virtual_node_of(kMany - 1, kMany, kMany);
    EXPECT_EQ(last.number, kMany - 1);
    EXPECT_EQ(last.first, kMany - 1);
    EXPECT_EQ(last.npes, 1);
}

}  // namespace
}  // namespace tessera
