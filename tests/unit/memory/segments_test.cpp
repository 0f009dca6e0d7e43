// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when names that are in use are given again, when free ones are not found, or when a name
// leads to another byte or PE than it stands for.
#include "memory/segments.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <memory>

#include "core/address_map.hpp"

namespace tessera {
namespace {

constexpr std::size_t kPage = 4096;

class SegmentsTest : public testing::Test {
  protected:
    SegmentsTest() {
        testing::FLAGS_gtest_death_test_style = "fast";
        address_map.npes = 4;
        address_map.my_pe = 1;
        team_.npes = 3;
        team_.my_index = 1;
    }
    ~SegmentsTest() override {
        segments_.close();
        std::construct_at(&address_map);
    }
    // With parts of 10, 20 and 30 bytes, the middle one this PE's.
    RegisteredSegment segment_at(std::size_t begin, std::size_t pages = 1) {
        RegisteredSegment segment;
        segment.begin = begin;
        segment.end = begin + pages * kPage;
        segment.team = &team_;
        segment.my_index = 1;
        segment.mine = {.address = reinterpret_cast<std::uintptr_t>(mine_ + 3), .bytes = 20};
        segment.table.own = {
            {.address = 0x1008, .bytes = 10}, segment.mine, {.address = 0x3000, .bytes = 30}};
        return segment;
    }
    const char* name(std::size_t offset) const { return segments_.address_of(offset); }

    alignas(16) char mine_[32] = {};
    Team team_;
    Segments segments_;
};

TEST_F(SegmentsTest, NoAddressIsANameBeforeTheFirstProposal) {
    EXPECT_FALSE(segments_.contains(mine_));
    EXPECT_FALSE(segments_.contains(nullptr));
    EXPECT_NE(segments_.propose(Segments::kBehindLast, kPage), Segments::kNone);
    EXPECT_FALSE(segments_.contains(mine_));
    EXPECT_TRUE(segments_.contains(name(5)));
}

TEST_F(SegmentsTest, NamesAreGivenOnceAndAgain) {
    const std::size_t first = segments_.propose(Segments::kBehindLast, kPage);
    EXPECT_NE(segments_.propose(Segments::kBehindLast, kPage), first) << "another thread's";
    EXPECT_TRUE(segments_.try_claim(segment_at(first, 2)));
    EXPECT_FALSE(segments_.try_claim(segment_at(first)));
    EXPECT_FALSE(segments_.try_claim(segment_at(first + kPage)));
    EXPECT_EQ(segments_.propose(0, kPage), first + 2 * kPage);
    EXPECT_TRUE(segments_.try_take(first).has_value());
    EXPECT_FALSE(segments_.try_take(first).has_value());
    EXPECT_EQ(segments_.propose(0, kPage), first);
    EXPECT_GT(segments_.propose(Segments::kBehindLast, kPage), first) << "as late as possible";
    EXPECT_EQ(segments_.propose(0, std::size_t{1} << 44), Segments::kNone);
}

TEST_F(SegmentsTest, GapsAreFound) {
    const std::size_t first = segments_.propose(0, kPage);
    for (std::size_t i = 0; i < 10; i += 2)
        ASSERT_TRUE(segments_.try_claim(segment_at(first + i * kPage)));
    EXPECT_EQ(segments_.propose(0, kPage), first + kPage);
    EXPECT_EQ(segments_.propose(first + 2 * kPage, kPage), first + 3 * kPage);
    EXPECT_EQ(segments_.propose(0, 2 * kPage), first + 9 * kPage);
    segments_.forget_all_of(&team_);
    EXPECT_EQ(segments_.propose(0, 10 * kPage), first);
}

TEST_F(SegmentsTest, NamesLeadToTheirBytes) {
    const std::size_t begin = segments_.propose(0, kPage);
    ASSERT_TRUE(segments_.try_claim(segment_at(begin)));
    EXPECT_EQ(segments_.remote(name(begin + 3), 20, 1, "test"), mine_ + 3);
    EXPECT_EQ(segments_.remote(name(begin + 22), 1, 1, "test"), mine_ + 22);
    EXPECT_EQ(segments_.find_here(name(begin + 3), 21), nullptr);
    EXPECT_EQ(segments_.find_here(name(begin + 2), 1), nullptr);
    EXPECT_EQ(segments_.memory_here(begin + 4, 19), mine_ + 4);
    EXPECT_EQ(segments_.remote(name(begin + 8), 10, 0, "test"), nullptr) << "by a transport";
    EXPECT_EQ(segments_.find_there(begin + 9, 0).address, 0x1009U);
    EXPECT_EQ(segments_.find_there(begin + 29, 2).address, 0x301dU);
    EXPECT_TRUE(segments_.has(name(begin + 29), 2));
    EXPECT_FALSE(segments_.has(name(begin + 30), 2));
    EXPECT_FALSE(segments_.has(name(begin + 8), 3)) << "no member";
}

TEST_F(SegmentsTest, MistakesEndTheJob) {
    const std::size_t begin = segments_.propose(0, kPage);
    ASSERT_TRUE(segments_.try_claim(segment_at(begin)));
    const auto dies = testing::ExitedWithCode(1);
    EXPECT_EXIT(segments_.remote(name(begin + 8), 11, 0, "put"), dies,
                "put: 11 bytes at .*, byte 0 of the part of PE 0 of a segment, are not all in");
    EXPECT_EXIT(segments_.remote(name(begin + 3), SIZE_MAX, 1, "put"), dies, "are not all in");
    EXPECT_EXIT(segments_.remote(name(begin), 1, 3, "put"), dies, "PE 3 is not in the team");
    EXPECT_EQ(segments_.remote(name(begin + 3), 1, 1, "put"), mine_ + 3);
    EXPECT_EXIT(segments_.remote(name(begin + 3), 1, 9, "put"), dies, "PE 9 is not in the team");
    EXPECT_EXIT(segments_.remote(name(begin + 5 * kPage), 1, 0, "put"), dies, "not registered");
    EXPECT_EXIT(segments_.memory_here(begin, 1), dies, "another PE accesses 1 bytes");
    EXPECT_EXIT(segments_.memory_here(std::size_t{1} << 50, 1), dies, "another PE accesses");
}

TEST_F(SegmentsTest, NothingIsRememberedOfAnEndedSegment) {
    const std::size_t begin = segments_.propose(0, kPage);
    ASSERT_TRUE(segments_.try_claim(segment_at(begin)));
    EXPECT_EQ(segments_.find(name(begin + 3), 1), mine_ + 3);
    segments_.try_take(begin);
    EXPECT_EQ(segments_.find(name(begin + 3), 1), nullptr);
    ASSERT_TRUE(segments_.try_claim(segment_at(begin)));
    EXPECT_EQ(segments_.find(name(begin + 3), 1), mine_ + 3);
    segments_.forget_all_of(&team_);
    EXPECT_EQ(segments_.find(name(begin + 3), 1), nullptr);
}

// RETURNS: whether small segments get names, and large ones do not, with 64 GiB of addresses.
bool works_with_few_addresses(Segments& table) {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = std::size_t{1} << 36;
    return ::setrlimit(RLIMIT_AS, &limit) == 0 &&
           table.propose(0, std::size_t{1} << 37) == Segments::kNone &&
           table.propose(0, kPage) != Segments::kNone;
}

TEST_F(SegmentsTest, TakesFewerNamesWhereAddressesAreLimited) {
    const auto ends_well = testing::ExitedWithCode(0);
    EXPECT_EXIT(std::exit(works_with_few_addresses(segments_) ? 0 : 1), ends_well, "");
}

}  // namespace
}  // namespace tessera
