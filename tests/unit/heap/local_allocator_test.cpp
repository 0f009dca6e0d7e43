// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when blocks of local memory overlap, when free memory is lost, does not merge, or is not
// found although there is a run of it, or when an alignment is not kept. The random test compares
// with a plain list of intervals; TESSERA_TEST_SEED=<number> repeats a run.
#include "heap/local_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

namespace tessera::heap {
namespace {

TEST(SizeClasses, HoldTheirBytesAndAtMostAQuarterMore) {
    SizeClass before = 0;
    for (std::size_t bytes = 1; bytes < 100'000; ++bytes) {
        const SizeClass size_class = class_of_bytes(bytes);
        const std::size_t block = units_of_class(size_class) * kUnitBytes;
        ASSERT_GE(block, bytes);
        ASSERT_LE(block, std::max<std::size_t>((bytes + 15) / 16 * 16, bytes + bytes / 4));
        ASSERT_GE(size_class, before);
        ASSERT_LE(size_class, before + 1) << "no class is left out";
        before = size_class;
    }
    for (SizeClass size_class = 1; size_class <= kSizeClassMax; ++size_class)
        ASSERT_EQ(class_of_bytes(units_of_class(size_class) * kUnitBytes), size_class);
}

TEST(BitTree, FindsTheSmallest) {
    constexpr std::uint64_t kCount = 300'000;
    std::vector<std::uint64_t> memory(BitTree::words(kCount));
    BitTree tree(memory.data(), kCount);
    EXPECT_TRUE(tree.empty());
    for (std::uint64_t number : {kCount - 1, std::uint64_t{70'000}, std::uint64_t{64}}) {
        tree.insert(number);
        EXPECT_EQ(tree.smallest(), number);
    }
    for (std::uint64_t number : {std::uint64_t{64}, std::uint64_t{70'000}}) {
        EXPECT_TRUE(tree.test(number));
        tree.erase(number);
        EXPECT_FALSE(tree.test(number));
        EXPECT_GT(tree.smallest(), number);
    }
    tree.erase(kCount - 1);
    EXPECT_TRUE(tree.empty());
    for (std::uint64_t word : memory) ASSERT_EQ(word, 0U);
}

TEST(LocalAllocator, TheWholeMemoryIsABlockAndComesBack) {
    LocalAllocator allocator(std::size_t{4} << 20);
    ASSERT_TRUE(allocator.is_open());
    const SizeClass all = class_of_bytes(std::size_t{4} << 20);
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(allocator.try_take(all), Unit{0});
        EXPECT_EQ(allocator.try_take(1), std::nullopt);
        allocator.give_back(0, all);
        EXPECT_TRUE(allocator.is_valid());
    }
}

TEST(LocalAllocator, FindsNeighboursThatAreNoBuddies) {
    LocalAllocator allocator(3 * 64 * kUnitBytes);
    // Two free blocks of 64 units in the middle and at the end are no buddies.
    const SizeClass block = class_of_bytes(64 * kUnitBytes);
    ASSERT_EQ(allocator.try_take(block), Unit{128}) << "the lowest order that fits";
    ASSERT_EQ(allocator.try_take(block), Unit{0});
    ASSERT_EQ(allocator.try_take(block), Unit{64});
    allocator.give_back(64, block);
    allocator.give_back(128, block);
    const SizeClass larger = class_of_bytes(112 * kUnitBytes);
    ASSERT_EQ(allocator.try_take(larger), Unit{64});
    EXPECT_TRUE(allocator.is_valid());
    EXPECT_EQ(allocator.units_free(), 128U - 112U);
    allocator.give_back(64, larger);
    EXPECT_EQ(allocator.try_take(larger, 7), std::nullopt) << "no multiple of 128 units has room";
    EXPECT_EQ(allocator.try_take(larger, 6), Unit{64});
    EXPECT_TRUE(allocator.is_valid());
}

TEST(LocalAllocator, BatchesAscendFromTheBack) {
    LocalAllocator allocator(std::size_t{1} << 20);
    Unit blocks[16];
    ASSERT_EQ(allocator.take_cached(5, blocks), 16U);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(blocks[i], 5 * (15 - i));
        EXPECT_EQ(allocator.state(blocks[i]), kCachedBlock | 5);
    }
    EXPECT_TRUE(allocator.is_valid());
    for (const Unit unit : blocks) allocator.give_back(unit, 5);
    EXPECT_EQ(allocator.try_take(class_of_bytes(std::size_t{1} << 20)), Unit{0})
        << "all has merged";
}

class LocalAllocatorRandom : public testing::Test {
  protected:
    using Random = std::mt19937_64;

    std::uint64_t pick(std::uint64_t least, std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
    }
    void reserve(Unit unit, SizeClass size_class) {
        const Unit end = unit + units_of_class(size_class);
        const auto next = live_.lower_bound(unit);
        ASSERT_LE(end, units_);
        ASSERT_TRUE(next == live_.end() || next->first >= end) << "overlaps the block behind it";
        if (next != live_.begin()) {
            const auto previous = std::prev(next);
            ASSERT_LE(previous->first + units_of_class(previous->second), unit);
        }
        live_[unit] = size_class;
    }
    // Whether the model has a free run for it.
    bool has_run(std::uint64_t units, unsigned align_order) const {
        const Unit mask = (Unit{1} << align_order) - 1;
        Unit begin = 0;
        for (auto block = live_.begin();; ++block) {
            const Unit end = block == live_.end() ? units_ : block->first;
            const Unit aligned = (begin + mask) & ~mask;
            if (aligned <= end && end - aligned >= units) return true;
            if (block == live_.end()) return false;
            begin = block->first + units_of_class(block->second);
        }
    }
    void allocate(LocalAllocator& allocator) {
        const auto size_class = static_cast<SizeClass>(pick(1, pick(1, 60)));
        const auto align_order = static_cast<unsigned>(pick(0, 3) == 0 ? pick(0, 10) : 0);
        const bool has_room = has_run(units_of_class(size_class), align_order);
        const auto unit = allocator.try_take(size_class, align_order);
        ASSERT_EQ(unit.has_value(), has_room) << "finds a run if and only if there is one";
        if (!unit) return;
        ASSERT_EQ(*unit % (Unit{1} << align_order), 0U);
        reserve(*unit, size_class);
    }
    void batch(LocalAllocator& allocator) {
        Unit blocks[32];
        const auto size_class = static_cast<SizeClass>(pick(1, 30));
        const std::size_t count = allocator.take_cached(size_class, {blocks, pick(1, 32)});
        ASSERT_EQ(count != 0, has_run(units_of_class(size_class), 0));
        for (std::size_t i = 0; i < count; ++i) reserve(blocks[i], size_class);
    }
    void free_one(LocalAllocator& allocator) {
        if (live_.empty()) return;
        auto victim = live_.lower_bound(pick(0, units_ - 1));
        if (victim == live_.end()) victim = live_.begin();
        const UnitState state = allocator.state(victim->first);
        ASSERT_EQ(state >= kCachedBlock ? state & kCachedClassMax : state, victim->second);
        if (victim->second > 1 && pick(0, 3) == 0) {
            allocator.state(victim->first) = victim->second;
            victim->second = static_cast<SizeClass>(pick(1, victim->second - 1U));
            return allocator.shrink(victim->first, victim->second);
        }
        allocator.give_back(victim->first, victim->second);
        live_.erase(victim);
    }

    Random random_;
    Unit units_ = 0;
    std::map<Unit, SizeClass> live_;
};

TEST_F(LocalAllocatorRandom, AgreesWithAListOfIntervals) {
    const char* wanted = std::getenv("TESSERA_TEST_SEED");
    const char* sequences = std::getenv("TESSERA_TEST_SEQUENCES");
    const std::uint64_t seed =
        wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : std::random_device{}();
    std::printf("TESSERA_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    random_.seed(seed);
    const int count = sequences != nullptr ? std::atoi(sequences) : 200;
    for (int sequence = 0; sequence < count; ++sequence) {
        SCOPED_TRACE(sequence);
        units_ = pick(1, pick(1, 20'000));
        live_.clear();
        LocalAllocator allocator(units_ * kUnitBytes);
        const std::uint64_t busy = pick(1, 9);
        for (int step = 0; step < 300; ++step) {
            const std::uint64_t what = pick(0, 9);
            if (what == 0) {
                batch(allocator);
            } else if (what <= busy) {
                allocate(allocator);
            } else {
                free_one(allocator);
            }
            if (HasFatalFailure()) return;
        }
        ASSERT_TRUE(allocator.is_valid());
        Unit used = 0;
        for (const auto& [unit, size_class] : live_) used += units_of_class(size_class);
        ASSERT_EQ(allocator.units_free(), units_ - used);
        while (!live_.empty()) {
            allocator.give_back(live_.begin()->first, live_.begin()->second);
            live_.erase(live_.begin());
        }
        ASSERT_TRUE(allocator.is_valid());
        ASSERT_EQ(allocator.units_free(), units_);
    }
}

}  // namespace
}  // namespace tessera::heap
