// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when two nodes have a bakery lock at the same time, when a change under the lock is not
// visible to its next owner, or when an owner leaves its ticket. Threads stand for nodes.
#include "transports/noncoherent/bakery_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "policies.hpp"

namespace tessera::noncoherent {
namespace {

constexpr int kNodesMax = 5;

class BakeryLockTest : public testing::TestWithParam<Access> {
  protected:
    // Two nodes load, compute and store so at the same time.
    void add_one(std::uint64_t& word) const {
        policy_.before_load(&word, sizeof word);
        const std::uint64_t next = *static_cast<volatile std::uint64_t*>(&word) + 1;
        std::this_thread::yield();
        policy_.store(reinterpret_cast<char*>(&word), &next, sizeof next);
    }
    bool lines_are_empty() const {
        for (const BakeryLine& line : lines_) {
            if (line.is_choosing != 0 || line.ticket != 0) return false;
        }
        return true;
    }

    const Policy policy_{GetParam()};
    BakeryLine lines_[kNodesMax] = {};
    alignas(kCacheLineBytes) std::uint64_t word_ = 0;
};

TEST_P(BakeryLockTest, NoChangeIsLost) {
    constexpr std::uint64_t kRounds = 100;
    for (const int nodes : {1, 2, 3, kNodesMax}) {
        word_ = 0;
        std::vector<std::thread> threads;
        for (int node = 0; node < nodes; ++node) {
            threads.emplace_back([this, node, nodes] {
                for (std::uint64_t i = 0; i < kRounds; ++i) {
                    const BakeryLock lock(policy_, lines_, {.mine = node, .count = nodes});
                    add_one(word_);
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(word_, kRounds * static_cast<std::uint64_t>(nodes)) << nodes << " nodes";
        ASSERT_TRUE(lines_are_empty());
    }
}

// A node that has the lock keeps the others out: the second one gets a ticket behind it, and has
// the lock only when the first has given it back.
TEST_P(BakeryLockTest, TheSecondNodeWaitsForTheFirst) {
    std::thread second;
    {
        const BakeryLock first(policy_, lines_, {.mine = 1, .count = 3});
        EXPECT_EQ(lines_[1].ticket, 1U);
        second = std::thread([this] {
            const BakeryLock lock(policy_, lines_, {.mine = 0, .count = 3});
            EXPECT_EQ(lines_[0].ticket, 2U);
            add_one(word_);
        });
        while (std::atomic_ref(lines_[0].ticket).load() == 0) std::this_thread::yield();
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
        EXPECT_EQ(word_, 0U);
        add_one(word_);
    }
    second.join();
    EXPECT_EQ(word_, 2U);
    EXPECT_TRUE(lines_are_empty());
}

INSTANTIATE_TEST_SUITE_P(Policies, BakeryLockTest, all_policies(), name_of);

}  // namespace
}  // namespace tessera::noncoherent
