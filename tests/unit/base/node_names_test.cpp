// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE is told a wrong node: it would reach for memory that it does not map.
#include "base/node_names.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

using Pes = std::vector<int>;

void expect_names(const NodeNames& names, const Pes& first_pes) {
    for (std::size_t pe = 0; pe < first_pes.size(); ++pe)
        EXPECT_EQ(names.first_pe(static_cast<int>(pe)), first_pes[pe]) << pe;
}

// Nodes of one length, a short last one, a long last one, and lengths that differ.
TEST(NodeNames, KnowsRunsByTheirBegins) {
    for (const Pes& begins : {Pes{0, 3}, Pes{0, 3, 6}, Pes{0, 4, 8}, Pes{0, 2, 4}, Pes{0, 2, 5},
                              Pes{0, 1, 5}, Pes{0}}) {
        constexpr int kPes = 9;
        Pes first_pes;
        for (std::size_t k = 0; k < begins.size(); ++k) {
            const int end = k + 1 < begins.size() ? begins[k + 1] : kPes;
            for (int pe = begins[k]; pe < end; ++pe) first_pes.push_back(begins[k]);
        }
        const NodeNames names = NodeNames::of_runs(begins, kPes);
        expect_names(names, first_pes);
        EXPECT_EQ(names, NodeNames::of_pes(first_pes));
        ASSERT_EQ(names.nodes(), static_cast<int>(begins.size()));
        EXPECT_EQ(names.begin(names.nodes()), kPes);
        for (int k = 0; k < names.nodes(); ++k) {
            EXPECT_EQ(names.begin(k), begins[static_cast<std::size_t>(k)]);
            for (int pe = names.begin(k); pe < names.begin(k + 1); ++pe)
                EXPECT_EQ(names.node_of(pe), k);
        }
    }
}

TEST(NodeNames, KnowsAnyPlacement) {
    const Pes in_turn{0, 1, 2, 0, 1, 2, 0, 1};
    const NodeNames names = NodeNames::of_pes(in_turn);
    EXPECT_EQ(names.nodes(), 0);
    expect_names(names, in_turn);
}

TEST(NodeNames, OneNodeIsTheDefault) {
    EXPECT_EQ(NodeNames().first_pe(7), 0);
    EXPECT_EQ(NodeNames().nodes(), 0);
}

}  // namespace
}  // namespace tessera
