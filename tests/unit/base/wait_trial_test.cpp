// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the trial of two PEs hangs, leaves them with different answers, or touches the policy
// when the partner has not come.
#include "base/wait_trial.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

namespace tessera {
namespace {

// In memory that two processes share.
struct Shared {
    alignas(kFalseSharingBytes) Gate gates[2];
    std::uint32_t pauses[2];
};

class WaitTrial : public testing::Test {
  protected:
    WaitTrial() {
        void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        shared_ = new (memory) Shared{};
        choose_wait_policy(2, 2);
    }
    ~WaitTrial() override {
        ::munmap(shared_, sizeof(Shared));
        choose_wait_policy(1, 1);
    }
    void be(int pe) {
        try_pauses(shared_->gates[pe], shared_->gates[1 - pe], pe == 0);
        shared_->pauses[pe] = wait_policy.pauses;
    }
    Shared* shared_ = nullptr;
};

TEST_F(WaitTrial, BothFindAnAnswer) {
    const std::uint32_t bare = wait_policy.pauses;
    const pid_t child = ::fork();
    if (child == 0) {
        be(1);
        ::_exit(0);
    }
    be(0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    // A partner that was late leaves both with bare checks; the answer may have come too late, too.
    for (std::uint32_t pauses : shared_->pauses)
        EXPECT_TRUE(pauses == bare || pauses == kLongPauses);
    if (shared_->pauses[1] == kLongPauses) {
        EXPECT_EQ(shared_->pauses[0], kLongPauses);
    }
}

TEST_F(WaitTrial, APartnerThatDoesNotComeChangesNothing) {
    const std::uint32_t bare = wait_policy.pauses;
    be(0);
    EXPECT_EQ(wait_policy.pauses, bare);
    // It comes later, and finds out at once.
    be(1);
    EXPECT_EQ(wait_policy.pauses, bare);
}

// Plays the other PE by hand: its first post is its last.
TEST_F(WaitTrial, TheOneWhoDecidesIsBelieved) {
    const std::uint32_t bare = wait_policy.pauses;
    constexpr std::uint32_t kLast = 9 * 8;  // exchanges, all of them posted in advance
    for (bool answer : {false, true}) {
        shared_->gates[1].reset(kLast + 1 + (answer ? 1 : 0));
        be(1);
        EXPECT_EQ(wait_policy.pauses, answer ? kLongPauses : bare);
        wait_policy.pauses = bare;
    }
}

}  // namespace
}  // namespace tessera
