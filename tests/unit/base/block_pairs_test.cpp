// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when two lists that cut the same bytes differently are not joined into the pieces that are
// contiguous in both, or when empty blocks disturb that.
#include "base/block_pairs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera {
namespace {

std::string pieces(const std::vector<Block>& remote, const std::vector<Block>& local) {
    std::string text;
    for (BlockPairs pairs(remote, local); !pairs.is_at_end(); pairs.advance()) {
        const auto [there, here, bytes] = pairs.piece();
        text +=
            std::to_string(there) + "<" + std::to_string(bytes) + ">" + std::to_string(here) + " ";
    }
    return text;
}

TEST(BlockPairs, NothingHasNoPieces) {
    EXPECT_EQ(pieces({}, {}), "");
    EXPECT_EQ(pieces({{5, 0}}, {}), "");
    EXPECT_EQ(pieces({}, {{5, 0}, {9, 0}}), "");
}

TEST(BlockPairs, PiecesEndWhereEitherBlockEnds) {
    EXPECT_EQ(pieces({{0, 10}}, {{100, 4}, {200, 6}}), "0<4>100 4<6>200 ");
    EXPECT_EQ(pieces({{-8, 3}, {50, 5}, {70, 2}}, {{9, 4}, {0, 6}}),
              "-8<3>9 50<1>12 51<4>0 70<2>4 ");
}

TEST(BlockPairs, EmptyBlocksAreSkipped) {
    EXPECT_EQ(pieces({{1, 0}, {2, 5}, {3, 0}}, {{7, 0}, {8, 5}, {4, 0}, {6, 0}}), "2<5>8 ");
}

}  // namespace
}  // namespace tessera
