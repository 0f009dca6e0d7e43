// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a handle whose object has ended is found again, when a number that is no handle is,
// or when objects move, are lost or end late.
#include "base/handle_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint8_t kKind = 0x7B;
using Object = std::shared_ptr<int>;  // counts how many there are
using Table = HandleTable<Object, kKind>;

std::uint64_t add(Table& table, int value) {
    const auto added = table.add(std::make_shared<int>(value));
    EXPECT_NE(added.object, nullptr);
    EXPECT_EQ(table.find(added.handle), added.object);
    return added.handle;
}

bool remove(Table& table, std::uint64_t handle) {
    Object* object = table.detach(handle);
    if (object != nullptr) table.recycle(object);
    return object != nullptr;
}

// Tables are never destroyed, and LeakSanitizer does not look into them.
void remove_all(Table& table) {
    std::vector<std::uint64_t> left;
    table.for_each([&](std::uint64_t handle, const Object&) { left.push_back(handle); });
    for (std::uint64_t handle : left) EXPECT_TRUE(remove(table, handle));
}

TEST(HandleTable, FindsNothingWithoutHandles) {
    constinit static Table table;
    EXPECT_EQ(table.find(0), nullptr);
    ASSERT_TRUE(table.reserve());
    for (std::uint64_t value : {0UL, 1UL, 2UL, ~0UL, ~0UL - 1, 1UL << 27, 0x7BUL << 56}) {
        EXPECT_EQ(table.find(value), nullptr) << value;
        EXPECT_FALSE(table.has_ended(value)) << value;
        EXPECT_EQ(table.detach(value), nullptr) << value;
    }
    add(table, 1);
    for (std::uint64_t value : {0UL, 1UL, 2UL, ~0UL, ~0UL - 1, 1UL << 27, 0x7BUL << 56}) {
        EXPECT_EQ(table.find(value), nullptr) << value;
        EXPECT_FALSE(table.has_ended(value)) << value;
    }
    remove_all(table);
}

TEST(HandleTable, ChangesOfOneBitAreNoHandles) {
    constinit static Table table;
    ASSERT_TRUE(table.reserve());
    std::set<std::uint64_t> live;
    for (int i = 0; i < 10; ++i) live.insert(add(table, i));
    for (std::uint64_t handle : live) {
        for (unsigned bit = 0; bit < 64; ++bit) {
            const std::uint64_t other = handle ^ std::uint64_t{1} << bit;
            EXPECT_EQ(table.find(other) != nullptr, live.contains(other));
            EXPECT_FALSE(table.has_ended(other) && live.contains(other));
        }
    }
    remove_all(table);
}

TEST(HandleTable, KnowsHandlesThatHaveEnded) {
    constinit static Table table;
    ASSERT_TRUE(table.reserve());
    std::set<std::uint64_t> ended;
    for (int round = 0; round < 1000; ++round) {
        const std::uint64_t handle = add(table, round);
        EXPECT_FALSE(ended.contains(handle)) << "a handle came back";
        EXPECT_EQ(**table.find(handle), round);
        EXPECT_TRUE(remove(table, handle));
        EXPECT_FALSE(remove(table, handle));
        ended.insert(handle);
        for (std::uint64_t old : ended) {
            EXPECT_EQ(table.find(old), nullptr);
            EXPECT_TRUE(table.has_ended(old));
        }
    }
}

// More than one piece of memory, and no object moves.
TEST(HandleTable, ObjectsStayWhereTheyAre) {
    constinit static Table table;
    ASSERT_TRUE(table.reserve());
    auto counted = std::make_shared<int>(0);
    std::vector<Table::Added> all;
    for (int i = 0; i < 20'000; ++i) all.push_back(table.add(Object(counted)));
    EXPECT_EQ(counted.use_count(), 20'001);
    for (const auto& added : all) EXPECT_EQ(table.find(added.handle), added.object);
    std::size_t seen = 0;
    table.for_each([&](std::uint64_t handle, const Object& object) {
        EXPECT_EQ(table.find(handle), &object);
        ++seen;
    });
    EXPECT_EQ(seen, all.size());
    for (const auto& added : all) EXPECT_TRUE(remove(table, added.handle));
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(HandleTable, HasAnEnd) {
    constinit static HandleTable<char, kKind> table;
    ASSERT_TRUE(table.reserve());
    for (std::uint32_t i = 1; i < HandleSlots::kSlots; ++i)
        ASSERT_NE(table.add('x').object, nullptr) << i;
    EXPECT_EQ(table.add('x').object, nullptr);
}

// A slot whose generations are used up is not used again: its handles would come back.
TEST(HandleTable, SlotsRestWhenTheirNumbersAreUsedUp) {
    struct Slots : HandleSlots {
        constexpr Slots() : HandleSlots(kKind, 32) {}
        void run() {
            ASSERT_TRUE(reserve());
            Head* first = claim();
            first->generation = (1U << kGenerationBits) - 2;
            const std::uint64_t last = publish(*first);
            EXPECT_EQ(find_head<32>(last), first);
            EXPECT_EQ(last >> 56, kKind);
            first->handle = 0;
            release(*first);
            Head* second = claim();
            EXPECT_NE(second, first);
            release(*second);
            EXPECT_EQ(claim(), second);
        }
    };
    constinit static Slots slots;
    slots.run();
}

// For ThreadSanitizer: threads find their own while others add and remove.
TEST(HandleTable, ServesThreads) {
    constinit static Table table;
    ASSERT_TRUE(table.reserve());
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([thread] {
            const std::uint64_t mine = add(table, thread);
            for (int i = 0; i < 2000; ++i) {
                const std::uint64_t passing = add(table, i);
                ASSERT_EQ(**table.find(mine), thread);
                ASSERT_EQ(**table.find(passing), i);
                if (i % 3 != 0) {
                    ASSERT_TRUE(remove(table, passing));
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    remove_all(table);
}

}  // namespace
}  // namespace tessera
