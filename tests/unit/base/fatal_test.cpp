// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the end of a job has no message, a wrong code, more than one message line, or does
// not reach the launcher. Every case ends a child process.
#include "base/fatal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

using testing::ExitedWithCode;

class Fatal : public testing::Test {
  protected:
    Fatal() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(Fatal, WritesOneLineAndExits) {
    EXPECT_EXIT(fatal("heap of %d bytes", 5), ExitedWithCode(kFatalExitCode),
                "^heap of 5 bytes\n$");
    EXPECT_EXIT(
        {
            set_message_prefix("[pe 3] ");
            fatal("%s: pe %d", "shmem_put", 9);
        },
        ExitedWithCode(kFatalExitCode), "^\\[pe 3\\] shmem_put: pe 9\n$");
}

TEST_F(Fatal, LongMessagesAreCutButEndTheirLine) {
    const std::string text(5000, 'x');
    EXPECT_EXIT(fatal("%s", text.c_str()), ExitedWithCode(kFatalExitCode), "^x{1000,2559}\n$");
}

TEST_F(Fatal, LongPrefixesAreCut) {
    EXPECT_EXIT(
        {
            set_message_prefix("0123456789012345678901234567890123456789");
            fatal("!");
        },
        ExitedWithCode(kFatalExitCode), "^0123456789012345678901234567890!\n$");
}

void tell(int code, Cause cause) {
    std::fprintf(stderr, "abort %d%s\n", code, cause == Cause::kLostPeer ? " for a peer" : "");
}

TEST_F(Fatal, TellsTheLauncher) {
    EXPECT_EXIT(
        {
            set_job_abort(tell);
            fatal("message");
        },
        ExitedWithCode(kFatalExitCode), "^message\nabort 1\n$");
    EXPECT_EXIT(
        {
            set_job_abort(tell);
            fatal_lost_peer("pe %d", 3);
        },
        ExitedWithCode(kFatalExitCode), "^pe 3\nabort 1 for a peer\n$");
    EXPECT_EXIT(
        {
            set_job_abort(tell);
            end_job(42);
        },
        ExitedWithCode(42), "^abort 42\n$");
}

TEST_F(Fatal, AdviceFollowsTheMessage) {
    EXPECT_EXIT(
        {
            set_message_prefix("oshrun: ");
            set_fatal_advice("look there");
            fatal("message");
        },
        ExitedWithCode(kFatalExitCode), "^oshrun: message\noshrun: look there\n$");
    EXPECT_EXIT(
        {
            set_fatal_advice("look there");
            set_fatal_advice(nullptr);
            fatal_lost_peer("message");
        },
        ExitedWithCode(kFatalExitCode), "^message\n$");
}

TEST_F(Fatal, RunsNoHandlers) {
    EXPECT_EXIT(
        {
            std::atexit([] { std::fprintf(stderr, "handler\n"); });
            end_job(7);
        },
        ExitedWithCode(7), "^$");
}

// The launcher is told once, by the first thread.
void fail_in_threads() {
    set_job_abort(tell);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([] { end_job(9); });
    for (std::thread& thread : threads) thread.join();
}
TEST_F(Fatal, ThreadsFailTogether) {
    EXPECT_EXIT(fail_in_threads(), ExitedWithCode(9), "^abort 9\n$");
}

TEST_F(Fatal, WarningsReturn) {
    testing::internal::CaptureStderr();
    warn("only %s", "words");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "only words\n");
}

}  // namespace
}  // namespace tessera
