// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a process leaves the meeting point before all have come, or does not see what they
// wrote.
#include "base/central_sync.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace tessera {
namespace {

constexpr int kMembersMax = 5;
constexpr long kRounds = 500;

// Plain words: only the meeting orders them. Two sets, because a member can be one round ahead.
struct Board {
    CentralSync sync;
    long rounds[2][kMembersMax];
};

bool take_part(Board& board, int member, int members) {
    bool is_right = true;
    for (long round = 1; round <= kRounds; ++round) {
        board.rounds[round % 2][member] = round;
        board.sync.barrier(static_cast<std::uint32_t>(members), "test");
        for (int i = 0; i < members; ++i)
            is_right = is_right && board.rounds[round % 2][i] == round;
    }
    return is_right;
}

class CentralSyncTest : public testing::TestWithParam<int> {
  protected:
    CentralSyncTest()
        : board_(static_cast<Board*>(::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        // With more members than cores they sleep, with a core each they spin.
        choose_wait_policy(GetParam() % 2 == 0 ? 64 : 1, 2);
    }
    ~CentralSyncTest() override { ::munmap(board_, sizeof(Board)); }

    Board* board_;
};

TEST_P(CentralSyncTest, ThreadsMeet) {
    const int members = GetParam();
    std::vector<std::thread> threads;
    std::vector<int> is_right(kMembersMax, 0);
    for (int i = 0; i < members; ++i) {
        threads.emplace_back([this, i, members, &is_right] {
            is_right[static_cast<std::size_t>(i)] = take_part(*board_, i, members) ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < members; ++i) EXPECT_EQ(is_right[static_cast<std::size_t>(i)], 1) << i;
}

TEST_P(CentralSyncTest, ProcessesMeet) {
    const int members = GetParam();
    std::vector<pid_t> children;
    for (int i = 1; i < members; ++i) {
        pid_t child = ::fork();
        if (child == 0) ::_exit(take_part(*board_, i, members) ? 0 : 1);
        children.push_back(child);
    }
    EXPECT_TRUE(take_part(*board_, 0, members));
    for (pid_t child : children) {
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Members, CentralSyncTest, testing::Values(1, 2, 3, 4, kMembersMax));

}  // namespace
}  // namespace tessera
