// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a handler of messages, or the holder of a short lock, may wait without a word.
#include "base/no_wait.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "base/fatal.hpp"
#include "base/mutexes.hpp"
#include "base/shared_lock.hpp"
#include "base/wait.hpp"

namespace tessera {
namespace {

using testing::ExitedWithCode;

class NoWaitDeath : public testing::Test {
  protected:
    NoWaitDeath() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// Not ready at once, so the wait becomes slow.
void wait_for_a_while() {
    int checks = 0;
    wait_until([&] { return ++checks > 5; }, "a wait of the test");
}

TEST_F(NoWaitDeath, WaitInAHandlerEndsTheJob) {
    wait_for_a_while();
    EXPECT_EXIT(
        {
            const NoWait no_wait("a handler of the test");
            wait_for_a_while();
        },
        ExitedWithCode(kFatalExitCode), "a wait of the test waits in a handler of the test");
}

TEST_F(NoWaitDeath, HolderOfAShortLockMustNotWait) {
    ShortMutex mutex;
    EXPECT_EXIT(
        {
            std::lock_guard guard(mutex);
            wait_for_a_while();
        },
        ExitedWithCode(kFatalExitCode), "waits in the holder of a short mutex");
    ShortSharedMutex shared_mutex;
    EXPECT_EXIT(
        {
            std::shared_lock guard(shared_mutex);
            wait_for_a_while();
        },
        ExitedWithCode(kFatalExitCode), "waits in the holder of a short mutex");
    std::atomic<std::uint32_t> word{0};
    EXPECT_EXIT(
        {
            SharedLock guard(word, "a change of the test");
            wait_for_a_while();
        },
        ExitedWithCode(kFatalExitCode), "waits in a change of the test");
}

TEST_F(NoWaitDeath, LongMutexIsNotForThem) {
    LongMutex mutex;
    { std::lock_guard guard(mutex); }
    ShortMutex short_mutex;
    EXPECT_EXIT(
        {
            std::lock_guard guard(short_mutex);
            std::lock_guard in_it(mutex);
        },
        ExitedWithCode(kFatalExitCode), "the taker of a long mutex");
}

TEST(NoWait, EndsWithItsObjectsInAnyOrder) {
    ShortMutex first;
    ShortMutex second;
    {
        std::unique_lock guard(first);
        std::unique_lock other(second, std::try_to_lock);
        ASSERT_TRUE(other.owns_lock());
        guard.unlock();
    }
    {
        std::lock_guard guard(second);
        std::unique_lock again(first, std::try_to_lock);
        EXPECT_TRUE(again.owns_lock());
    }
    std::lock_guard guard(first);
    EXPECT_EQ(no_wait_state.depth, 1U);
}

}  // namespace
}  // namespace tessera
