// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE that has died is not known, or a handler is called twice or never.
#include "base/failures.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/wait.hpp"

namespace tessera {
namespace {

std::atomic<int> calls{0};
std::atomic<int> last{-1};

void note(int pe) {
    ++calls;
    last = pe;
}

class Failures : public testing::Test {
  protected:
    Failures() {
        calls = 0;
        last = -1;
        watch_failures(log_, note);
    }
    ~Failures() override { forget_failures(); }

    void kill(int pe) {
        const std::uint32_t count = log_.count.load();
        log_.pes[count] = pe;
        log_.count.store(count + 1);
    }

    FailureLog log_{};
};

TEST_F(Failures, NoneWithoutALog) {
    kill(3);
    forget_failures();
    EXPECT_FALSE(survives_failures());
    EXPECT_EQ(failure_count(), 0U);
    EXPECT_FALSE(is_dead(3));
}

TEST_F(Failures, AreKnownByTheirPe) {
    EXPECT_TRUE(survives_failures());
    EXPECT_FALSE(is_dead(0)) << "The entries behind the count mean nothing.";
    kill(5);
    kill(2);
    EXPECT_EQ(failure_count(), 2U);
    EXPECT_EQ(failed_pe(1), 2);
    EXPECT_TRUE(is_dead(5));
    EXPECT_TRUE(is_dead(2));
    EXPECT_FALSE(is_dead(3));
}

TEST_F(Failures, HandlerHearsOfEachOnce) {
    kill(5);
    kill(2);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] { look_for_failures(); });
    threads.clear();
    EXPECT_EQ(calls, 2);
    kill(7);
    look_for_failures();
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(last, 7);
}

TEST_F(Failures, EndWaitsThatAskForThem) {
    Gate gate{};
    std::jthread killer([this] { kill(1); });
    const auto is_over = [](void*) { return failure_count() > 0; };
    gate.wait_unless(is_over, nullptr, 1, "test");
    EXPECT_FALSE(gate.has_reached(1));
}

}  // namespace
}  // namespace tessera
