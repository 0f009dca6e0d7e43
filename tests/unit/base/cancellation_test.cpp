// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a thread is cancelled where the library holds something, or is not cancelled at a
// point that the library offers.
#include "base/cancellation.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

namespace tessera {
namespace {

// The steps that the thread has come to.
struct Steps {
    bool is_behind_guard = false;
    bool is_behind_point = false;
    bool is_unwound = false;
};

// Cancels a thread before it begins `body(steps)`. RETURNS: whether it was cancelled.
template <class Body>
bool runs_cancelled(Steps& steps, Body body) {
    struct Work {
        Steps& steps;
        Body body;
    } work{steps, body};
    pthread_barrier_t is_cancelled;
    static pthread_barrier_t* barrier;
    barrier = &is_cancelled;
    ::pthread_barrier_init(barrier, nullptr, 2);
    pthread_t thread{};
    ::pthread_create(
        &thread, nullptr,
        [](void* at) -> void* {
            auto& mine = *static_cast<Work*>(at);
            ::pthread_barrier_wait(barrier);  // no cancellation point
            mine.body(mine.steps);
            return nullptr;
        },
        &work);
    ::pthread_cancel(thread);
    ::pthread_barrier_wait(barrier);
    void* result = nullptr;
    ::pthread_join(thread, &result);
    ::pthread_barrier_destroy(barrier);
    return result == PTHREAD_CANCELED;
}

class Cancellation : public testing::Test {
  protected:
    Cancellation() { may_be_cancelled = true; }
    ~Cancellation() override { may_be_cancelled = false; }
};

TEST_F(Cancellation, IsOffAsLongAsAGuardLives) {
    Steps steps;
    const bool is_cancelled = runs_cancelled(steps, [](Steps& at) {
        {
            const NoCancellation outer;
            { const NoCancellation inner; }
            ::usleep(1);  // a cancellation point of the system
            at.is_behind_guard = true;
        }
        ::usleep(1);
        at.is_behind_point = true;
    });
    EXPECT_TRUE(is_cancelled);
    EXPECT_TRUE(steps.is_behind_guard);
    EXPECT_FALSE(steps.is_behind_point);
}

TEST_F(Cancellation, PointEndsTheThreadAndUnwindsItsStack) {
    struct Unwound {
        Steps& steps;
        ~Unwound() { steps.is_unwound = true; }
    };
    Steps steps;
    const bool is_cancelled = runs_cancelled(steps, [](Steps& at) {
        const Unwound unwound{at};
        {
            const NoCancellationPoint in_an_operation;
            cancellation_point();
        }
        at.is_behind_guard = true;
        cancellation_point();
        at.is_behind_point = true;
    });
    EXPECT_TRUE(is_cancelled);
    EXPECT_TRUE(steps.is_behind_guard);
    EXPECT_FALSE(steps.is_behind_point);
    EXPECT_TRUE(steps.is_unwound);
}

TEST_F(Cancellation, ProgramOfOneThreadHasNoPoints) {
    may_be_cancelled = false;
    Steps steps;
    EXPECT_FALSE(runs_cancelled(steps, [](Steps& at) {
        const NoCancellation guard;
        cancellation_point();
        at.is_behind_point = true;
    }));
    EXPECT_TRUE(steps.is_behind_point);
}

}  // namespace
}  // namespace tessera
