// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when heap::Allocator does not keep one of its rules. No heap memory is needed: the
// allocator only hands out numbers. allocator_random_test.cpp has the long random runs.
#include "heap/allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace tessera::heap {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kGiB = 1024 * kMiB;
constexpr std::size_t kSizeMax = std::numeric_limits<std::size_t>::max();

// Fills the heap with blocks of `bytes` and returns their offsets in the order they came.
std::vector<std::size_t> fill(Allocator& allocator, std::size_t bytes) {
    std::vector<std::size_t> offsets;
    while (const auto offset = allocator.allocate(bytes)) offsets.push_back(*offset);
    return offsets;
}

// A fresh heap that is not all free would shrink every program's heap.
TEST(Allocator, StartsAsOneFreeBlock) {
    const Allocator allocator(kMiB + 7);
    EXPECT_EQ(allocator.heap_bytes(), kMiB);
    EXPECT_EQ(allocator.bytes_free(), kMiB);
    EXPECT_EQ(allocator.largest_free(), kMiB);
    EXPECT_EQ(allocator.bytes_in_use(), 0u);
    EXPECT_EQ(allocator.live_blocks(), 0u);
    EXPECT_TRUE(allocator.is_valid());
}

// A heap too small for one block must refuse, not loop or misreport.
TEST(Allocator, HeapOfNoUsefulSizeGivesNothing) {
    for (const std::size_t bytes : {std::size_t{0}, kMinAlignment - 1}) {
        Allocator allocator(bytes);
        EXPECT_FALSE(allocator.allocate(1));
        EXPECT_EQ(allocator.largest_free(), 0u);
        EXPECT_TRUE(allocator.is_valid());
    }
}

// Small blocks that are not packed at 16 bytes would waste the heap on flags and counters.
TEST(Allocator, SmallBlocksPackAtMinAlignment) {
    Allocator allocator(kMiB);
    EXPECT_EQ(allocator.allocate(1), 0u);
    EXPECT_EQ(allocator.allocate(16), 16u);
    EXPECT_EQ(allocator.allocate(17), 32u);
    EXPECT_EQ(allocator.allocate(8), 64u);
    EXPECT_EQ(allocator.bytes_in_use(), 80u);
    EXPECT_EQ(allocator.bytes_free(), kMiB - 80);
    EXPECT_EQ(allocator.live_blocks(), 4u);
    EXPECT_TRUE(allocator.is_valid());
}

// Large blocks off their cache lines would slow every copy; slivers between them would pile up.
TEST(Allocator, LargeBlocksFillCacheLines) {
    Allocator allocator(kMiB);
    EXPECT_EQ(allocator.allocate(kLineBlockBytesMin - 1), 0u);
    EXPECT_EQ(allocator.allocate(16), kLineBlockBytesMin);
    EXPECT_EQ(allocator.allocate(kLineBlockBytesMin + 1), kLineBlockBytesMin + kCacheLineBytes);
    EXPECT_EQ(allocator.allocate(kLineBlockBytesMin), 2 * kLineBlockBytesMin + 2 * kCacheLineBytes);
    EXPECT_TRUE(allocator.is_valid());
}

// The cache-line preference must never turn a request down that would fit without it.
TEST(Allocator, LargeBlockTakesTightPlaceWhenNoneOnLinesIsLeft) {
    Allocator allocator(kLineBlockBytesMin + 48);
    ASSERT_EQ(allocator.allocate(16), 0u);
    EXPECT_EQ(allocator.largest_free(), kLineBlockBytesMin + 32);
    EXPECT_EQ(allocator.allocate(kLineBlockBytesMin + 32), 16u);
    EXPECT_EQ(allocator.bytes_free(), 0u);
    EXPECT_TRUE(allocator.is_valid());

    ASSERT_TRUE(allocator.reallocate(16, 16));
    const auto grown = allocator.reallocate(16, kLineBlockBytesMin + 32);
    ASSERT_TRUE(grown) << "the same holds for growing in place";
    EXPECT_FALSE(grown->moved);
    EXPECT_EQ(allocator.bytes_free(), 0u);
    EXPECT_TRUE(allocator.is_valid());
}

// A wrong size or alignment argument must come back as "no", not as a strange block.
TEST(Allocator, RefusesImpossibleArguments) {
    Allocator allocator(kMiB);
    EXPECT_FALSE(allocator.allocate(0));
    EXPECT_FALSE(allocator.allocate(16, 0));
    EXPECT_FALSE(allocator.allocate(16, 48));
    EXPECT_FALSE(allocator.allocate(kMiB + 1));
    EXPECT_EQ(allocator.allocate(16, 1), 0u) << "small powers of two mean the minimum";
    EXPECT_EQ(allocator.allocate(16, 8), 16u);
    EXPECT_TRUE(allocator.is_valid());
}

// Rounding a size near the top of its range up to 0 would hand out a block that is too small.
TEST(Allocator, SizesNearTheTopDoNotWrap) {
    constexpr std::size_t kHugeAlignment = std::size_t{1} << 63;
    for (const std::size_t heap_bytes : {kMiB, kSizeMax / 2, kSizeMax}) {
        Allocator allocator(heap_bytes, kHugeAlignment);
        for (std::size_t less = 0; less < 300; ++less) {
            EXPECT_FALSE(allocator.allocate(kSizeMax - less));
            EXPECT_FALSE(allocator.allocate(kSizeMax - less, 4 * kKiB, Sharing::kCacheLineOwned));
        }
        ASSERT_EQ(allocator.allocate(16), 0u);
        EXPECT_FALSE(allocator.reallocate(0, kSizeMax));
        EXPECT_FALSE(allocator.reallocate(0, kSizeMax - 15));
        EXPECT_FALSE(allocator.allocate(16, kHugeAlignment)) << "only offset 0 has it";
        EXPECT_FALSE(allocator.contains(0, kSizeMax));
        EXPECT_EQ(allocator.size_of(0), 16u);
        EXPECT_TRUE(allocator.is_valid());
    }
    Allocator whole(kSizeMax);
    EXPECT_EQ(whole.allocate(whole.largest_free()), 0u);
    EXPECT_EQ(whole.bytes_free(), 0u);
}

// A misaligned block would break shmem_align's promise on every PE.
TEST(Allocator, AlignsUpTo1GiB) {
    Allocator allocator(64 * kGiB, kGiB);
    ASSERT_EQ(allocator.allocate(16), 0u);
    for (std::size_t alignment = 1; alignment <= kGiB; alignment *= 2) {
        for (const std::size_t bytes : {std::size_t{1}, 3 * kKiB, 5 * kMiB}) {
            const auto offset = allocator.allocate(bytes, alignment);
            ASSERT_TRUE(offset) << alignment;
            EXPECT_EQ(*offset % alignment, 0u) << alignment;
            EXPECT_EQ(allocator.size_of(*offset), bytes);
        }
    }
    EXPECT_TRUE(allocator.is_valid());
}

// An offset cannot be better aligned than the heap's base; a promise would be false for addresses.
TEST(Allocator, RefusesAlignmentBeyondItsBase) {
    Allocator allocator(64 * kMiB);
    EXPECT_TRUE(allocator.allocate(16, kHugePageBytes));
    EXPECT_FALSE(allocator.allocate(16, 2 * kHugePageBytes));
}

// The space skipped to reach an alignment must stay usable.
TEST(Allocator, AlignmentGapStaysFree) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(16), 0u);
    ASSERT_EQ(allocator.allocate(16, 64 * kKiB), 64 * kKiB);
    EXPECT_EQ(allocator.bytes_in_use(), 32u);
    EXPECT_EQ(allocator.allocate(560), 16u);
    EXPECT_EQ(allocator.allocate(64 * kKiB - 576), 576u);
    EXPECT_TRUE(allocator.is_valid());
}

// An aligned request must find the one place that suits it among many that only have the size.
TEST(Allocator, AlignedRequestFindsTheOnlyFit) {
    Allocator allocator(kMiB);
    // Every other 32-byte block is free; of those at multiples of 32, none starts at 4096 k
    // except one.
    const std::vector<std::size_t> offsets = fill(allocator, 32);
    for (const std::size_t offset : offsets) {
        if (offset % 64 == 32) {
            ASSERT_TRUE(allocator.free(offset));
        }
    }
    EXPECT_FALSE(allocator.allocate(32, 4 * kKiB));
    ASSERT_TRUE(allocator.free(100 * 4 * kKiB));
    EXPECT_EQ(allocator.allocate(32, 4 * kKiB), 100 * 4 * kKiB);
    EXPECT_FALSE(allocator.allocate(32, 4 * kKiB));
    EXPECT_TRUE(allocator.is_valid());
}

// Two PEs' remote atomics on one line would slow each other down in spite of the hint.
TEST(Allocator, OwnedBlocksShareNoCacheLine) {
    Allocator allocator(kMiB);
    std::vector<std::size_t> owned;
    for (std::size_t bytes = 1; bytes <= 300; bytes += 23) {
        ASSERT_TRUE(allocator.allocate(24));
        const auto offset = allocator.allocate(bytes, 16, Sharing::kCacheLineOwned);
        ASSERT_TRUE(offset);
        owned.push_back(*offset);
        ASSERT_TRUE(allocator.allocate(8));
    }
    std::map<std::size_t, std::size_t> owner;  // cache line -> offset of the block seen there
    allocator.for_each_live([&](const LiveBlock& block) {
        const std::size_t first = block.offset / kCacheLineBytes;
        const std::size_t last = (block.offset + block.bytes - 1) / kCacheLineBytes;
        for (std::size_t line = first; line <= last; ++line) {
            const auto [other, is_new] = owner.emplace(line, block.offset);
            const auto found = allocator.block_containing(other->second);
            ASSERT_TRUE(found);
            EXPECT_TRUE(is_new ||
                        (block.sharing == Sharing::kPlain && found->sharing == Sharing::kPlain))
                << "line " << line;
        }
    });
    EXPECT_EQ(owned.size(), 14u);
    for (const std::size_t offset : owned) {
        EXPECT_EQ(allocator.block_containing(offset)->sharing, Sharing::kCacheLineOwned);
        ASSERT_TRUE(allocator.free(offset));
    }
    EXPECT_TRUE(allocator.is_valid());
}

// Taking a large block apart while a small one fits would leave no large one for later.
TEST(Allocator, TakesTheSmallestFitAndTheLowestOfEquals) {
    Allocator allocator(kMiB);
    std::vector<std::size_t> offsets;
    for (const std::size_t bytes : {256, 16, 64, 16, 128, 16, 64, 16})
        offsets.push_back(*allocator.allocate(bytes));
    for (const std::size_t index : {6, 4, 2, 0}) ASSERT_TRUE(allocator.free(offsets[index]));
    EXPECT_EQ(allocator.allocate(48), offsets[2]);
    EXPECT_EQ(allocator.allocate(64), offsets[6]);
    EXPECT_EQ(allocator.allocate(64), offsets[4]);
    EXPECT_EQ(allocator.allocate(200), offsets[0]);
    EXPECT_TRUE(allocator.is_valid());
}

// Freeing what is not a block would corrupt the bookkeeping of every later call.
TEST(Allocator, FreeTakesOnlyStartsOfLiveBlocks) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(64), 0u);
    EXPECT_FALSE(allocator.free(16));
    EXPECT_FALSE(allocator.free(64)) << "start of a free block";
    EXPECT_FALSE(allocator.free(kMiB));
    EXPECT_FALSE(allocator.free(kSizeMax));
    EXPECT_TRUE(allocator.free(0));
    EXPECT_FALSE(allocator.free(0)) << "freed twice";
    EXPECT_EQ(allocator.bytes_free(), kMiB);
    EXPECT_TRUE(allocator.is_valid());
}

// Space that does not come back after being freed makes long-running programs fail.
TEST(Allocator, FilledHeapIsWholeAgainAfterFrees) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{48}, std::size_t{5000}}) {
        Allocator allocator(kMiB);
        std::vector<std::size_t> offsets = fill(allocator, bytes);
        EXPECT_GE(offsets.size(), kMiB / (bytes + kCacheLineBytes));
        std::shuffle(offsets.begin(), offsets.end(), std::mt19937_64(bytes));
        for (const std::size_t offset : offsets) ASSERT_TRUE(allocator.free(offset));
        EXPECT_EQ(allocator.bytes_in_use(), 0u);
        EXPECT_EQ(allocator.largest_free(), kMiB);
        EXPECT_TRUE(allocator.is_valid());
        EXPECT_EQ(allocator.allocate(kMiB), 0u) << "one block of everything";
        EXPECT_FALSE(allocator.allocate(1));
    }
}

// Neighbours that do not merge in all three ways (before, behind, both) leave the heap in pieces.
TEST(Allocator, CheckerboardMergesAsTheHolesClose) {
    constexpr std::size_t kBytes = 64;
    Allocator allocator(kMiB);
    const std::vector<std::size_t> offsets = fill(allocator, kBytes);
    ASSERT_EQ(offsets.size(), kMiB / kBytes);
    for (std::size_t i = 0; i < offsets.size(); i += 2) ASSERT_TRUE(allocator.free(offsets[i]));
    EXPECT_EQ(allocator.bytes_free(), kMiB / 2);
    EXPECT_EQ(allocator.largest_free(), kBytes);
    EXPECT_FALSE(allocator.allocate(kBytes + 1));
    EXPECT_TRUE(allocator.is_valid());

    ASSERT_TRUE(allocator.free(offsets[1]));
    EXPECT_EQ(allocator.largest_free(), 3 * kBytes);
    for (std::size_t i = 3; i < offsets.size(); i += 2) ASSERT_TRUE(allocator.free(offsets[i]));
    EXPECT_EQ(allocator.largest_free(), kMiB);
    EXPECT_TRUE(allocator.is_valid());
}

// Shrinking must give the tail back and never move the data.
TEST(Allocator, ReallocShrinksInPlace) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(800), 0u);
    ASSERT_EQ(allocator.allocate(16), 800u);
    const auto resized = allocator.reallocate(0, 100);
    ASSERT_TRUE(resized);
    EXPECT_EQ(resized->offset, 0u);
    EXPECT_FALSE(resized->moved);
    EXPECT_EQ(allocator.size_of(0), 100u);
    EXPECT_EQ(allocator.bytes_in_use(), 112u + 16u);
    EXPECT_TRUE(allocator.is_valid());
    EXPECT_EQ(allocator.allocate(800 - 112), 112u) << "the tail is one free block again";

    ASSERT_TRUE(allocator.free(112));
    ASSERT_TRUE(allocator.reallocate(0, 50));
    EXPECT_TRUE(allocator.is_valid()) << "the tail merges with the free block behind it";
}

// Growing where the space behind is free must not move the data: a move costs a copy.
TEST(Allocator, ReallocGrowsInPlaceIntoFreeSpace) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(64), 0u);
    ASSERT_EQ(allocator.allocate(64), 64u);
    ASSERT_EQ(allocator.allocate(64), 128u);
    ASSERT_TRUE(allocator.free(64));
    for (const std::size_t bytes : {64, 65, 80, 128}) {
        const auto resized = allocator.reallocate(0, bytes);
        ASSERT_TRUE(resized);
        EXPECT_FALSE(resized->moved) << bytes;
        EXPECT_EQ(allocator.size_of(0), bytes);
        EXPECT_TRUE(allocator.is_valid());
    }
    EXPECT_EQ(allocator.bytes_in_use(), 192u);
    ASSERT_TRUE(allocator.free(128));
    ASSERT_FALSE(allocator.reallocate(0, kLineBlockBytesMin + 1)->moved);
    EXPECT_EQ(allocator.bytes_in_use(), kLineBlockBytesMin + kCacheLineBytes) << "fills its lines";
    ASSERT_FALSE(allocator.reallocate(0, kMiB)->moved);
    EXPECT_EQ(allocator.bytes_free(), 0u);
    EXPECT_TRUE(allocator.is_valid());
}

// A block that starts inside a cache line and fills whole lines from there ends inside one, too.
// The bytes behind it up to the line's end are then lost to a request that would just have fit.
TEST(Allocator, ReallocEndsOnACacheLineWhereverTheBlockStarts) {
    Allocator allocator(4 * kLineBlockBytesMin);
    ASSERT_EQ(allocator.allocate(16), 0u);
    ASSERT_EQ(allocator.allocate(16), 16u);
    const auto resized = allocator.reallocate(16, 2 * kLineBlockBytesMin - 16);
    ASSERT_TRUE(resized);
    EXPECT_FALSE(resized->moved);
    EXPECT_EQ(allocator.bytes_in_use(), 2 * kLineBlockBytesMin);
    EXPECT_EQ(allocator.allocate(2 * kLineBlockBytesMin), 2 * kLineBlockBytesMin);
    EXPECT_TRUE(allocator.is_valid());
}

// A moved block needs both its places until the caller has copied.
TEST(Allocator, ReallocMovesWhenTheNextBlockIsLive) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(64), 0u);
    ASSERT_EQ(allocator.allocate(64), 64u);
    const auto resized = allocator.reallocate(0, 65);
    ASSERT_TRUE(resized);
    EXPECT_TRUE(resized->moved);
    EXPECT_EQ(resized->offset, 128u);
    EXPECT_EQ(allocator.size_of(0), 64u) << "still live, the caller frees it";
    EXPECT_EQ(allocator.size_of(128), 65u);
    EXPECT_TRUE(allocator.free(0));
    EXPECT_TRUE(allocator.is_valid());
}

// A realloc that fails must leave the block as it was (OpenSHMEM 1.6, 9.3).
TEST(Allocator, ReallocWithoutRoomChangesNothing) {
    Allocator allocator(kKiB);
    ASSERT_EQ(allocator.allocate(512), 0u);
    ASSERT_EQ(allocator.allocate(256), 512u);
    EXPECT_FALSE(allocator.reallocate(0, 513));
    EXPECT_FALSE(allocator.reallocate(0, 2 * kKiB));
    EXPECT_FALSE(allocator.reallocate(0, 0));
    EXPECT_FALSE(allocator.reallocate(16, 8)) << "not a start";
    EXPECT_FALSE(allocator.reallocate(768, 8)) << "a free block";
    EXPECT_EQ(allocator.size_of(0), 512u);
    EXPECT_EQ(allocator.bytes_in_use(), 768u);
    EXPECT_EQ(allocator.live_blocks(), 2u);
    EXPECT_TRUE(allocator.is_valid());
}

// Hints belong to the allocation: a block that loses its lines by growing becomes slow.
TEST(Allocator, ReallocKeepsTheSharing) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(8, 16, Sharing::kCacheLineOwned), 0u);
    ASSERT_EQ(allocator.allocate(8), kFalseSharingBytes);
    const auto moved = allocator.reallocate(0, kFalseSharingBytes + 1);
    ASSERT_TRUE(moved && moved->moved);
    EXPECT_EQ(moved->offset, 2 * kFalseSharingBytes);
    EXPECT_EQ(allocator.block_containing(moved->offset)->sharing, Sharing::kCacheLineOwned);
    const auto shrunk = allocator.reallocate(moved->offset, 1);
    ASSERT_TRUE(shrunk && !shrunk->moved);
    EXPECT_EQ(allocator.bytes_in_use(), 2 * kFalseSharingBytes + kMinAlignment);
    EXPECT_TRUE(allocator.is_valid());
}

// SHMEM_DEBUG names the block an address belongs to; a wrong one misleads the user.
TEST(Allocator, FindsTheBlockOfAnOffset) {
    Allocator allocator(kMiB);
    ASSERT_EQ(allocator.allocate(100), 0u);
    ASSERT_EQ(allocator.allocate(100), 112u);
    EXPECT_EQ(allocator.block_containing(99)->offset, 0u);
    EXPECT_FALSE(allocator.block_containing(100)) << "rounding, not the program's";
    EXPECT_EQ(allocator.block_containing(112)->offset, 112u);
    EXPECT_EQ(allocator.block_containing(211)->bytes, 100u);
    EXPECT_FALSE(allocator.block_containing(212));
    EXPECT_FALSE(allocator.block_containing(kSizeMax));
    EXPECT_TRUE(allocator.contains(0, 100));
    EXPECT_TRUE(allocator.contains(99, 1));
    EXPECT_FALSE(allocator.contains(99, 2));
    EXPECT_FALSE(allocator.contains(0, 200)) << "spans two blocks";
    EXPECT_FALSE(allocator.contains(50, kSizeMax));
    ASSERT_TRUE(allocator.free(0));
    EXPECT_FALSE(allocator.contains(0, 1));
    EXPECT_FALSE(allocator.size_of(0));
    EXPECT_FALSE(allocator.size_of(113));
}

// The leak report at finalize lists exactly what the program still holds.
TEST(Allocator, VisitsLiveBlocksInAddressOrder) {
    Allocator allocator(kMiB);
    for (const std::size_t bytes : {10, 20, 30, 40}) ASSERT_TRUE(allocator.allocate(bytes));
    ASSERT_TRUE(allocator.free(16));
    std::vector<std::pair<std::size_t, std::size_t>> seen;
    allocator.for_each_live(
        [&](const LiveBlock& block) { seen.emplace_back(block.offset, block.bytes); });
    const std::vector<std::pair<std::size_t, std::size_t>> expected{{0, 10}, {48, 30}, {80, 40}};
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(allocator.live_blocks(), 3u);
}

}  // namespace
}  // namespace tessera::heap
