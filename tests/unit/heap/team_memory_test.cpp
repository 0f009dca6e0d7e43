// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an offer has bytes that are taken, hides free ones that fit, or is not exclusive; and
// when the books of blocks and free extents do not fit each other after any sequence of calls.
#include "heap/team_memory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tessera::heap {
namespace {

constexpr std::size_t kBegin = std::size_t{4} << 20;
constexpr std::size_t kBytes = 64 * 1024;
constexpr std::size_t kUnit = TeamMemory::kUnit;
const int kTeam = 0;
const int kOtherTeam = 0;

// As a team of one member would do.
std::optional<std::size_t> allocate(TeamMemory& memory, TeamMemory::Request request,
                                    const void* team = &kTeam) {
    bool is_contended = false;
    const TeamMemory::Offer offer = memory.open_offer(request, is_contended);
    const std::size_t place =
        offer.count > 0 ? request.place_in(offer.extents[0]) : TeamMemory::kNoLimit;
    memory.close_offer(offer, place, request.bytes, team);
    if (place == TeamMemory::kNoLimit) return std::nullopt;
    return place;
}

TEST(TeamMemory, TakesTheLowestPlaceThatFits) {
    TeamMemory memory(kBegin, kBytes);
    for (std::size_t i = 0; i < 4; ++i)
        ASSERT_EQ(allocate(memory, {.bytes = 4 * kUnit}), kBegin + i * 4 * kUnit);
    memory.free(kBegin + 4 * kUnit);
    EXPECT_EQ(allocate(memory, {.bytes = 8 * kUnit}), kBegin + 16 * kUnit);
    EXPECT_EQ(allocate(memory, {.bytes = kUnit}), kBegin + 4 * kUnit);
    EXPECT_EQ(allocate(memory, {.bytes = 2 * kUnit, .alignment = 2 * kUnit}), kBegin + 6 * kUnit);
    EXPECT_EQ(allocate(memory, {.bytes = kUnit, .alignment = 4096}), kBegin + 4096);
    EXPECT_TRUE(memory.is_valid());
}

TEST(TeamMemory, GivesOutAllBytes) {
    TeamMemory memory(kBegin, kBytes);
    EXPECT_EQ(allocate(memory, {.bytes = kBytes}), kBegin);
    EXPECT_FALSE(allocate(memory, {.bytes = kUnit}));
    EXPECT_EQ(memory.block_containing(kBegin + kBytes - 1).value().begin, kBegin);
    EXPECT_FALSE(memory.block_containing(kBegin + kBytes));
    memory.free(kBegin);
    EXPECT_FALSE(allocate(memory, {.bytes = kBytes + kUnit}));
    EXPECT_EQ(memory.free_extents(), 1U);
}

TEST(TeamMemory, OffersAreExclusive) {
    TeamMemory memory(kBegin, kBytes);
    const TeamMemory::Request small{.bytes = kUnit, .extent_max = 4 * kUnit};
    bool is_contended = true;
    const TeamMemory::Offer first = memory.open_offer(small, is_contended);
    EXPECT_FALSE(is_contended);
    ASSERT_EQ(first.count, 1U);
    EXPECT_EQ(first.extents[0].begin, kBegin);
    EXPECT_EQ(first.limit, kBegin + 4 * kUnit);
    const TeamMemory::Offer second = memory.open_offer(small, is_contended);
    EXPECT_TRUE(is_contended);
    ASSERT_EQ(second.count, 1U);
    EXPECT_GE(second.extents[0].begin, first.extents[0].end);
    memory.close_offer(second, second.extents[0].begin, kUnit, &kTeam);
    memory.close_offer(first, TeamMemory::kNoLimit, kUnit, &kTeam);
    EXPECT_TRUE(memory.is_valid());
    EXPECT_EQ(memory.bytes_in_use(), kUnit);
    EXPECT_EQ(allocate(memory, small), kBegin);
}

TEST(TeamMemory, LimitsHideNothing) {
    TeamMemory memory(kBegin, kBytes);
    std::vector<std::size_t> places;
    while (const auto place = allocate(memory, {.bytes = kUnit})) places.push_back(*place);
    ASSERT_EQ(places.size(), kBytes / kUnit);
    for (std::size_t i = 0; i < places.size(); i += 2) memory.free(places[i]);
    std::size_t seen = 0;
    TeamMemory::Request request{.bytes = kUnit};
    for (bool is_contended = false; request.from != TeamMemory::kNoLimit;) {
        const TeamMemory::Offer offer = memory.open_offer(request, is_contended);
        for (std::size_t i = 0; i < offer.count; ++i)
            EXPECT_EQ(offer.extents[i].begin, places[2 * seen++]);
        request.from = offer.limit;
        memory.close_offer(offer, TeamMemory::kNoLimit, kUnit, &kTeam);
    }
    EXPECT_EQ(seen, places.size() / 2);
}

TEST(TeamMemory, FreesWhatATeamHas) {
    TeamMemory memory(kBegin, kBytes);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(allocate(memory, {.bytes = 3 * kUnit}, i % 2 == 0 ? &kTeam : &kOtherTeam));
    EXPECT_EQ(memory.free_all_of(&kTeam), 5U);
    EXPECT_EQ(memory.blocks(), 5U);
    EXPECT_EQ(memory.free_all_of(&kOtherTeam), 5U);
    EXPECT_EQ(memory.free_extents(), 1U);
    EXPECT_TRUE(memory.is_valid());
}

// Against a map of the taken units.
TEST(TeamMemory, RandomSequences) {
    std::mt19937 random(20261122);
    for (int round = 0; round < 50; ++round) {
        TeamMemory memory(kBegin, kBytes);
        std::map<std::size_t, std::size_t> blocks;
        std::vector<bool> taken(kBytes / kUnit);
        const auto mark = [&](std::size_t place, std::size_t bytes, bool value) {
            for (std::size_t at = place - kBegin; at < place - kBegin + bytes; at += kUnit) {
                ASSERT_NE(taken[at / kUnit], value);
                taken[at / kUnit] = value;
            }
        };
        for (int step = 0; step < 300; ++step) {
            if (random() % 5 < 3) {
                const TeamMemory::Request request{
                    .bytes = (1 + random() % (random() % 8 == 0 ? 200 : 12)) * kUnit,
                    .alignment = kUnit << random() % 6};
                const auto place = allocate(memory, request);
                std::size_t expected = kBegin;
                const auto is_free = [&](std::size_t at) {
                    for (std::size_t i = 0; i < request.bytes; i += kUnit) {
                        if (taken[(at - kBegin + i) / kUnit]) return false;
                    }
                    return true;
                };
                while (expected + request.bytes <= kBegin + kBytes && !is_free(expected))
                    expected += request.alignment;
                if (expected + request.bytes > kBegin + kBytes) {
                    ASSERT_FALSE(place);
                    continue;
                }
                ASSERT_EQ(place, expected) << "round " << round << " step " << step;
                mark(*place, request.bytes, true);
                blocks[*place] = request.bytes;
            } else if (!blocks.empty()) {
                auto block = blocks.begin();
                std::advance(block, random() % blocks.size());
                memory.free(block->first);
                mark(block->first, block->second, false);
                blocks.erase(block);
            }
            ASSERT_EQ(memory.blocks(), blocks.size());
        }
        ASSERT_TRUE(memory.is_valid()) << round;
    }
}

}  // namespace
}  // namespace tessera::heap
