// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a rule of the race detector is lost: each test has one rule, and a pair of accesses
// on each side of it.
#include "tools/check/race/shadow.hpp"

#include <gtest/gtest.h>

namespace tessera::check::race {
namespace {

constexpr std::uint64_t kWord = 77;
constexpr auto kNothing = [](const Access&) { return false; };
constexpr auto kAll = [](const Access&) { return true; };

Access access(int pe, Op op, Touch touch, Lane lane = Lane::kDefault, unsigned mask = 0xff) {
    return {.op = op,
            .pe = static_cast<std::uint16_t>(pe),
            .mask = static_cast<std::uint8_t>(mask),
            .touch = touch,
            .lane = lane};
}

// Whether `now` races with `earlier`, which is all that the word has seen.
bool races(const Access& earlier, const Access& now, const Progress& fenced = {}) {
    Cell cell;
    EXPECT_FALSE(examine(cell, kWord, earlier, {}, kNothing));
    return examine(cell, kWord, now, fenced, kNothing).has_value();
}

TEST(Rules, WritesOfTwoPesRace) {
    EXPECT_TRUE(races(access(0, 1, Touch::kWrite), access(1, 1, Touch::kWrite)));
    EXPECT_TRUE(races(access(0, 1, Touch::kRead), access(1, 1, Touch::kWrite)));
    EXPECT_TRUE(races(access(0, 1, Touch::kWrite), access(1, 1, Touch::kRead)));
    EXPECT_FALSE(races(access(0, 1, Touch::kRead), access(1, 1, Touch::kRead)));
}

TEST(Rules, AtomicsDoNotRaceWithEachOther) {
    EXPECT_FALSE(races(access(0, 1, Touch::kAtomicWrite), access(1, 1, Touch::kAtomicWrite)));
    EXPECT_FALSE(races(access(0, 1, Touch::kAtomicWrite), access(1, 1, Touch::kAtomicRead)));
    EXPECT_TRUE(races(access(0, 1, Touch::kAtomicWrite), access(1, 1, Touch::kRead)));
    EXPECT_TRUE(races(access(0, 1, Touch::kWrite), access(1, 1, Touch::kAtomicRead)));
    EXPECT_FALSE(races(access(0, 1, Touch::kRead), access(1, 1, Touch::kAtomicRead)));
}

TEST(Rules, OnlyTheSameBytesRace) {
    EXPECT_FALSE(races(access(0, 1, Touch::kWrite, Lane::kDefault, 0x0f),
                       access(1, 1, Touch::kWrite, Lane::kDefault, 0xf0)));
    EXPECT_TRUE(races(access(0, 1, Touch::kWrite, Lane::kDefault, 0x1f),
                      access(1, 1, Touch::kWrite, Lane::kDefault, 0xf0)));
}

TEST(Rules, WhatIsKnownDoesNotRace) {
    Cell cell;
    examine(cell, kWord, access(0, 1, Touch::kWrite), {}, kNothing);
    EXPECT_FALSE(examine(cell, kWord, access(1, 1, Touch::kWrite), {}, kAll));
}

TEST(Rules, APesOwnPutsNeedAFence) {
    EXPECT_TRUE(races(access(0, 1, Touch::kWrite), access(0, 2, Touch::kWrite)));
    Progress fenced;
    fenced[Lane::kDefault] = 1;
    EXPECT_FALSE(races(access(0, 1, Touch::kWrite), access(0, 2, Touch::kWrite), fenced));
    EXPECT_TRUE(races(access(0, 2, Touch::kWrite), access(0, 3, Touch::kWrite), fenced));
    EXPECT_TRUE(
        races(access(0, 1, Touch::kWrite, Lane::kOthers), access(0, 3, Touch::kWrite), fenced));
}

TEST(Rules, AFenceDoesNotOrderGets) {
    Progress fenced;
    fenced[Lane::kDefault] = 1;
    EXPECT_TRUE(races(access(0, 1, Touch::kWrite), access(0, 2, Touch::kRead), fenced));
    EXPECT_TRUE(races(access(0, 1, Touch::kRead), access(0, 2, Touch::kWrite), fenced));
}

TEST(Rules, WhatIsCompleteWhenItReturnsIsOrderedForItsPe) {
    EXPECT_FALSE(races(access(0, 1, Touch::kWrite, Lane::kProgram), access(0, 2, Touch::kWrite)));
    EXPECT_FALSE(races(access(0, 1, Touch::kRead, Lane::kProgram), access(0, 2, Touch::kWrite)));
}

TEST(Rules, OneCallDoesNotRaceWithItself) {
    EXPECT_FALSE(races(access(0, 1, Touch::kWrite), access(0, 1, Touch::kRead)));
}

TEST(Rules, LocalSidesOfAPeAreLeftToThePendingList) {
    Access source = access(0, 1, Touch::kRead);
    source.is_local_side = true;
    EXPECT_FALSE(races(source, access(0, 2, Touch::kWrite)));
    EXPECT_TRUE(races(source, access(1, 2, Touch::kWrite)));
}

TEST(Cells, ARaceIsToldOnce) {
    Cell cell;
    examine(cell, kWord, access(0, 1, Touch::kWrite), {}, kNothing);
    EXPECT_TRUE(examine(cell, kWord, access(1, 1, Touch::kWrite), {}, kNothing));
    EXPECT_FALSE(examine(cell, kWord, access(1, 1, Touch::kWrite), {}, kNothing));
}

TEST(Cells, ReadersOfSeveralPesAreKept) {
    Cell cell;
    for (int pe = 0; pe < 4; ++pe)
        examine(cell, kWord, access(pe, 1, Touch::kRead, Lane::kProgram), {}, kNothing);
    // Knows all but PE 2.
    auto knows = [](const Access& earlier) { return earlier.pe != 2; };
    auto found = examine(cell, kWord, access(5, 1, Touch::kWrite), {}, knows);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pe, 2);
}

TEST(Cells, AKnownReadDoesNotHideAWrite) {
    Cell cell;
    examine(cell, kWord, access(0, 1, Touch::kWrite), {}, kNothing);
    examine(cell, kWord, access(1, 1, Touch::kRead, Lane::kProgram), {}, kAll);
    EXPECT_TRUE(examine(cell, kWord, access(2, 1, Touch::kRead), {}, kNothing));
}

TEST(Cells, AKnownWriteReplacesWhatCameBefore) {
    Cell cell;
    examine(cell, kWord, access(0, 1, Touch::kWrite), {}, kNothing);
    examine(cell, kWord, access(1, 1, Touch::kWrite), {}, kAll);
    int count = 0;
    for (const Access& kept : cell.accesses) count += kept.op != 0 ? 1 : 0;
    EXPECT_EQ(count, 1);
}

TEST(Cells, AnotherWordTakesTheCell) {
    Cell cell;
    examine(cell, kWord, access(0, 1, Touch::kWrite), {}, kNothing);
    EXPECT_FALSE(examine(cell, kWord + 1, access(1, 1, Touch::kWrite), {}, kNothing));
}

TEST(Cells, AWaitHasSeenTheWrites) {
    Cell cell;
    examine(cell, kWord, access(0, 1, Touch::kWrite), {}, kNothing);
    forget_writes(cell, kWord, 0xff, true);  // only atomics
    Cell copy = cell;
    EXPECT_TRUE(examine(copy, kWord, access(1, 1, Touch::kWrite), {}, kNothing));
    forget_writes(cell, kWord, 0xff, false);
    EXPECT_FALSE(examine(cell, kWord, access(1, 1, Touch::kWrite), {}, kNothing));
}

}  // namespace
}  // namespace tessera::check::race
