// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an address leads to another place of the peer, when memory outside of the segments
// passes the bounds check, or when the message does not say what was wrong.
#include "core/address_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "support/fake_world.hpp"

namespace tessera {
namespace {

using test::FakeWorld;
using testing::ExitedWithCode;

class AddressMapTest : public testing::Test {
  protected:
    AddressMapTest() : world_(3) {
        testing::FLAGS_gtest_death_test_style = "fast";
        world_.become(1);
    }
    FakeWorld world_;
};

constexpr std::size_t kHeap = FakeWorld::kHeapBytes;
constexpr std::size_t kStatics = FakeWorld::kStaticBytes;

TEST_F(AddressMapTest, FindsTheSamePlaceOnThePeer) {
    for (std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, kHeap - 64}) {
        for (int pe = 0; pe < 3; ++pe) {
            const char* here = world_.heap(1) + offset;
            EXPECT_EQ(address_map.remote(here, 8, pe, "test"), world_.heap(pe) + offset);
            EXPECT_EQ(address_map.mapped_heap(here, 64, pe), world_.heap(pe) + offset);
            EXPECT_EQ(address_map.mapped(here, pe), world_.heap(pe) + offset);
        }
    }
    for (std::size_t offset : {std::size_t{0}, std::size_t{100}, kStatics - 64}) {
        for (int pe = 0; pe < 3; ++pe) {
            const char* here = world_.statics(1) + offset;
            EXPECT_EQ(address_map.remote(here, 8, pe, "test"), world_.statics(pe) + offset);
            EXPECT_EQ(address_map.mapped(here, pe), world_.statics(pe) + offset);
            EXPECT_EQ(address_map.mapped_heap(here, 8, pe), nullptr);
        }
    }
}

TEST_F(AddressMapTest, TheFastPathRefusesWhatIsNotInTheHeap) {
    const char* heap = world_.heap(1);
    EXPECT_NE(address_map.mapped_heap(heap, kHeap, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap, kHeap + 1, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap + 1, kHeap, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap - 1, 65, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap + kHeap, 65, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap + kHeap - 64, 65, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap, SIZE_MAX, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(heap + kHeap - 64, SIZE_MAX, 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(nullptr, 65, 0), nullptr);
    for (int pe : {-1, 3, INT32_MAX, INT32_MIN})
        EXPECT_EQ(address_map.mapped_heap(heap, 65, pe), nullptr) << pe;
    EXPECT_EQ(address_map.mapped_heap(world_.heap(0), 65, 0), nullptr) << "another PE's address";
}

TEST_F(AddressMapTest, TheFastPathOfShortOperationsRefusesWhatMayEndOutside) {
    for (const char* segment : {world_.heap(1), world_.statics(1)}) {
        const std::size_t bytes = segment == world_.heap(1) ? kHeap : kStatics;
        EXPECT_EQ(address_map.mapped(segment - 1, 0), nullptr);
        EXPECT_EQ(address_map.mapped(segment + bytes - 63, 0), nullptr);
        EXPECT_EQ(address_map.mapped(segment + bytes, 0), nullptr);
        for (int pe : {-1, 3, INT32_MAX, INT32_MIN})
            EXPECT_EQ(address_map.mapped(segment, pe), nullptr) << pe;
    }
    EXPECT_EQ(address_map.mapped(nullptr, 0), nullptr);
    EXPECT_EQ(address_map.mapped(world_.heap(0), 0), nullptr) << "another PE's address";
    EXPECT_EQ(address_map.mapped(world_.statics(0), 0), nullptr) << "another PE's address";
    EXPECT_EQ(inline_limit_of(63), 0U);
    EXPECT_EQ(inline_limit_of(64), 1U);
}

TEST_F(AddressMapTest, WhatIsNotMappedTakesATransport) {
    world_.peer(2) = {};
    // Never called here: that there is one is enough.
    world_.transport(2) = reinterpret_cast<Transport*>(this);
    EXPECT_EQ(address_map.mapped(world_.heap(1), 2), nullptr);
    EXPECT_EQ(address_map.mapped(world_.statics(1), 2), nullptr);
    EXPECT_EQ(address_map.remote(world_.heap(1), 8, 2, "test"), nullptr);
    EXPECT_EQ(address_map.remote(world_.statics(1), 8, 2, "test"), nullptr);
    EXPECT_NE(address_map.remote(world_.heap(1), 8, 0, "test"), nullptr);
}

TEST_F(AddressMapTest, Contains) {
    EXPECT_TRUE(address_map.contains(world_.heap(1), kHeap));
    EXPECT_FALSE(address_map.contains(world_.heap(1), kHeap + 1));
    EXPECT_TRUE(address_map.contains(world_.statics(1) + 5, kStatics - 5));
    EXPECT_FALSE(address_map.contains(world_.statics(1) + 5, kStatics));
    EXPECT_FALSE(address_map.contains(world_.heap(2), 1));
    int here = 0;
    EXPECT_FALSE(address_map.contains(&here, 1));
    EXPECT_FALSE(address_map.contains(nullptr, 1));
    EXPECT_FALSE(address_map.contains(world_.heap(1) + 1, SIZE_MAX));
}

TEST_F(AddressMapTest, MessagesNameTheMistake) {
    char here = 0;
    EXPECT_EXIT(address_map.remote(&here, 1, 0, "shmem_put"), ExitedWithCode(1),
                "shmem_put: address 0x.* is not symmetric: it is neither in the symmetric heap");
    EXPECT_EXIT(address_map.remote(world_.heap(1), 8, 3, "shmem_put"), ExitedWithCode(1),
                "shmem_put: pe 3 is not in \\[0, 3\\)");
    EXPECT_EXIT(address_map.remote(world_.heap(1), 8, -1, "shmem_put"), ExitedWithCode(1),
                "shmem_put: pe -1 is not in \\[0, 3\\)");
    EXPECT_EXIT(address_map.remote(world_.heap(2) + 9, 1, 0, "shmem_put"), ExitedWithCode(1),
                "shmem_put: 0x.* lies in the memory of PE 2 \\(from shmem_ptr\\?\\)");
    EXPECT_EXIT(address_map.remote(world_.heap(1) + kHeap - 16, 24, 0, "shmem_get"),
                ExitedWithCode(1),
                "shmem_get: 24 bytes at 0x.* run past the end of the symmetric "
                "heap, which ends 16 bytes behind that address");
    EXPECT_EXIT(address_map.remote(world_.statics(1) + kStatics - 1, 2, 0, "shmem_get"),
                ExitedWithCode(1), "run past the end of the program's static data, which ends 1 ");
    EXPECT_EXIT(fail_alignment(world_.heap(1) + 1, 8, "shmem_x"), ExitedWithCode(1),
                "shmem_x: address 0x.* is not aligned to 8 bytes, as this operation needs");
    world_.peer(0).statics = nullptr;
    EXPECT_EXIT(address_map.remote(world_.statics(1), 8, 0, "shmem_p"), ExitedWithCode(1),
                "shmem_p: 0x.* is static data, and PE 0 runs another program");
}

TEST_F(AddressMapTest, MessagesNameThePartOfTheRange) {
    address_map.team_begin = kHeap / 4;
    address_map.local_begin = kHeap / 2;
    EXPECT_EXIT(address_map.remote(world_.heap(1), kHeap + 1, 0, "shmem_get"), ExitedWithCode(1),
                "symmetric heap, which ends " + std::to_string(kHeap / 4) + " bytes behind");
    EXPECT_EXIT(address_map.remote(world_.heap(1) + kHeap / 4, kHeap, 0, "shmem_get"),
                ExitedWithCode(1),
                "team memory, which ends " + std::to_string(kHeap / 4) + " bytes behind");
    EXPECT_EXIT(address_map.remote(world_.heap(1) + kHeap - 4, 8, 0, "shmem_get"),
                ExitedWithCode(1), "local memory, which ends 4 bytes behind");
    EXPECT_NE(address_map.remote(world_.heap(1), kHeap, 0, "shmem_get"), nullptr)
        << "one check covers the parts";
}

// SHMEM_PROGRESS=none between nodes.
TEST_F(AddressMapTest, PeThatServesInItsCallsTakesTheSlowPaths) {
    address_map.direct_npes = 0;
    EXPECT_EQ(address_map.mapped(world_.heap(1), 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(world_.heap(1), 65, 0), nullptr);
    EXPECT_NE(address_map.remote(world_.heap(1), 65, 0, "shmem_get"), nullptr);
    EXPECT_EQ(address_map.known_heap(world_.heap(1), 65, 0),
              address_map.remote(world_.heap(1), 65, 0, "shmem_get"));
}

TEST_F(AddressMapTest, NothingIsThereBeforeInit) {
    std::construct_at(&address_map);
    EXPECT_EQ(address_map.mapped(world_.heap(1), 0), nullptr);
    EXPECT_EQ(address_map.mapped_heap(world_.heap(1), 65, 0), nullptr);
    EXPECT_FALSE(address_map.contains(world_.heap(1), 1));
    EXPECT_EXIT(check_initialized("shmem_my_pe"), ExitedWithCode(1),
                "shmem_my_pe: called before shmem_init");
    EXPECT_EXIT(check_pe(0, "shmem_p"), ExitedWithCode(1), "shmem_p: called before shmem_init");
    EXPECT_EXIT(address_map.remote(world_.heap(1), 8, 0, "shmem_p"), ExitedWithCode(1),
                "shmem_p: called before shmem_init");
}

}  // namespace
}  // namespace tessera
