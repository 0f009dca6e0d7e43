// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a formula does not give the members that it was found for, when the number of a PE
// leads to a wrong member, or when regular members are not recognised.
#include "teams/member_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace tessera {
namespace {

using Pes = std::vector<int>;

void check(const MemberList& list, const Pes& pes) {
    const auto npes = static_cast<int>(pes.size());
    for (int i = 0; i < npes; ++i) ASSERT_EQ(list[i], pes[static_cast<std::size_t>(i)]) << i;
    const int last = *std::ranges::max_element(pes);
    for (int pe = -3; pe <= last + 3; ++pe) {
        const auto found = std::ranges::find(pes, pe);
        const int index = found != pes.end() ? static_cast<int>(found - pes.begin()) : -1;
        ASSERT_EQ(list.index_of(pe, npes), index) << pe;
    }
}

Pes blocks(int first, int block, int stride, int period, int npes) {
    Pes pes;
    for (int i = 0; i < npes; ++i) pes.push_back(first + i / block * period + i % block * stride);
    return pes;
}

TEST(MemberList, RegularMembersAreFormulas) {
    for (int first : {0, 7}) {
        for (int stride : {1, 2, 5}) {
            for (int block : {1, 2, 3, 4, 7, 64}) {
                for (int gap : {1, 2, 9, 1000}) {
                    for (int npes : {1, 2, 3, 7, 8, 30, 129}) {
                        const int period = (block - 1) * stride + gap;
                        const Pes pes = blocks(first, block, stride, period, npes);
                        const auto list = MemberList::formula_of(pes);
                        ASSERT_TRUE(list) << first << " " << block << " " << stride << " " << gap;
                        check(*list, pes);
                    }
                }
            }
        }
    }
    const Pes backwards{9, 7, 5, 3};
    const auto list = MemberList::formula_of(backwards);
    ASSERT_TRUE(list);
    check(*list, backwards);
}

TEST(MemberList, LargeNumbers) {
    const Pes pes{0, 1, 2, 1 << 29, (1 << 29) + 1, (1 << 29) + 2, 1 << 30};
    const auto list = MemberList::formula_of(pes);
    ASSERT_TRUE(list);
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ((*list)[i], pes[static_cast<std::size_t>(i)]);
        EXPECT_EQ(list->index_of(pes[static_cast<std::size_t>(i)], 7), i);
    }
}

TEST(MemberList, OthersAreArrays) {
    std::mt19937 random(4711);
    for (int round = 0; round < 2000; ++round) {
        Pes pes(1 + random() % 12);
        std::iota(pes.begin(), pes.end(), 0);
        std::ranges::shuffle(pes, random);
        pes.resize(1 + random() % pes.size());
        if (const auto formula = MemberList::formula_of(pes)) check(*formula, pes);
        Pes order(pes.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, [&](int i) { return pes[static_cast<std::size_t>(i)]; });
        check(MemberList::array(pes.data(), order.data()), pes);
    }
    EXPECT_FALSE(MemberList::formula_of(Pes{0, 1, 3, 4, 5}));
    EXPECT_FALSE(MemberList::formula_of(Pes{3, 2, 0, 1}));
}

}  // namespace
}  // namespace tessera
