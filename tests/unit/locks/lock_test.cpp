// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a free lock cannot be taken, a taken one can, or a wrong use is not told. PEs that
// wait for each other are in tests/behaviour/locks/locks_test.cpp.
#include "locks/lock.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/fake_world.hpp"

namespace tessera {
namespace {

using test::FakeWorld;
using testing::ExitedWithCode;

class LockTest : public testing::TestWithParam<int> {
  protected:
    LockTest() : world_(GetParam()) { testing::FLAGS_gtest_death_test_style = "fast"; }

    // The lock number `index`, as PE `pe` names it; in the heap or in static data.
    Lock lock(int pe, int index, bool is_static = false) {
        world_.become(pe);
        char* memory = is_static ? world_.statics(pe) : world_.heap(pe);
        return Lock(reinterpret_cast<long*>(memory) + index, "shmem_lock");
    }
    FakeWorld world_;
};

TEST_P(LockTest, GoesFromPeToPe) {
    for (bool is_static : {false, true}) {
        for (int index = 0; index < 10; ++index) {
            for (int round = 0; round < 2 * GetParam(); ++round) {
                const int pe = round % GetParam();
                if (round % 3 == 0) {
                    EXPECT_TRUE(lock(pe, index, is_static).try_set());
                } else {
                    lock(pe, index, is_static).set();
                }
                for (int other = 0; other < GetParam(); ++other) {
                    EXPECT_FALSE(lock(other, index, is_static).try_set())
                        << "PE " << pe << " is in";
                }
                EXPECT_TRUE(lock(pe, index + 100, is_static).try_set()) << "another lock";
                lock(pe, index + 100, is_static).clear();
                lock(pe, index, is_static).clear();
            }
        }
    }
}

// The queues of many locks are spread over the PEs: some copy of each shows who holds it.
TEST_P(LockTest, HomesAreSpread) {
    std::set<int> homes;
    for (int index = 0; index < 64; ++index) {
        lock(0, index).set();
        for (int pe = 0; pe < GetParam(); ++pe) {
            auto tail = *(reinterpret_cast<std::uint32_t*>(world_.heap(pe)) + 2 * index);
            if (tail == 1) homes.insert(pe);
        }
        lock(0, index).clear();
    }
    EXPECT_EQ(homes.size(), static_cast<std::size_t>(GetParam()));
}

TEST_P(LockTest, IsZeroAgainWhenFree) {
    for (int pe = 0; pe < GetParam(); ++pe) {
        lock(pe, 3).set();
        lock(pe, 3).clear();
    }
    for (int pe = 0; pe < GetParam(); ++pe)
        EXPECT_EQ(reinterpret_cast<long*>(world_.heap(pe))[3], 0) << "copy of PE " << pe;
}

TEST_P(LockTest, WrongUseIsTold) {
    EXPECT_EXIT(lock(0, 0).clear(), ExitedWithCode(1),
                "shmem_lock: this PE does not hold the lock at 0x.*; only the PE that set a lock");
    lock(0, 0).set();
    EXPECT_EXIT(lock(0, 0).set(), ExitedWithCode(1),
                "shmem_lock: this PE holds the lock at 0x.* already; locks are not reentrant");
    if (GetParam() > 1) {
        EXPECT_EXIT(lock(1, 0).clear(), ExitedWithCode(1), "this PE does not hold the lock");
    }
    lock(0, 0).clear();
    long here = 0;
    EXPECT_EXIT(Lock(&here, "shmem_lock"), ExitedWithCode(1), "is not symmetric");
    EXPECT_EXIT(Lock(reinterpret_cast<long*>(world_.heap(0) + 4), "shmem_lock"), ExitedWithCode(1),
                "is not aligned to 8 bytes");
}

INSTANTIATE_TEST_SUITE_P(Pes, LockTest, testing::Values(1, 2, 5));

}  // namespace
}  // namespace tessera
