// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when clocks of the race detector forget what a PE knows, or when its facts about delivered
// puts claim less than is known (which would be a false alarm) or hold for PEs that do not know.
#include "tools/check/race/clocks.hpp"

#include <gtest/gtest.h>

namespace tessera::check::race {
namespace {

Clock clock_with(std::uint32_t learner, Op program) {
    Clock clock(3);
    clock[learner][Lane::kProgram] = program;
    return clock;
}

TEST(Clocks, JoinTakesTheLatestOfEachLane) {
    Clock mine(2);
    Clock other(2);
    mine[0][Lane::kProgram] = 5;
    mine[1][Lane::kDefault] = 2;
    other[0][Lane::kProgram] = 3;
    other[1][Lane::kDefault] = 7;
    join(mine, other);
    EXPECT_EQ(mine[0][Lane::kProgram], 5U);
    EXPECT_EQ(mine[1][Lane::kDefault], 7U);
    EXPECT_EQ(mine[1][Lane::kProgram], 0U);
}

TEST(Clocks, QuietCompletesItsLaneAndTheSharedOnes) {
    Progress progress;
    progress.complete(Lane::kDefault, 9);
    EXPECT_EQ(progress[Lane::kDefault], 9U);
    EXPECT_EQ(progress[Lane::kRequests], 9U);
    EXPECT_EQ(progress[Lane::kSignalled], 9U);
    EXPECT_EQ(progress[Lane::kOthers], 0U);
    EXPECT_EQ(progress[Lane::kProgram], 0U);
}

TEST(Deliveries, HoldForPesThatKnowTheLearnersCall) {
    Deliveries deliveries;
    deliveries.add(Lane::kDefault, {.sent = 4, .since = 10, .learner = 1});
    EXPECT_TRUE(deliveries.covers(Lane::kDefault, 4, clock_with(1, 10)));
    EXPECT_FALSE(deliveries.covers(Lane::kDefault, 5, clock_with(1, 10)));
    EXPECT_FALSE(deliveries.covers(Lane::kDefault, 4, clock_with(1, 9)));
    EXPECT_FALSE(deliveries.covers(Lane::kOthers, 4, clock_with(1, 10)));
    EXPECT_FALSE(deliveries.covers(Lane::kDefault, 4, clock_with(2, 10)));
}

// A lost fact would be a false alarm: a PE that knows one learner's call knows what it has learned.
TEST(Deliveries, NeverForgetAFact) {
    for (std::uint32_t learners = 1; learners <= 3; ++learners) {
        Deliveries deliveries;
        for (Op i = 1; i <= 50; ++i) {
            deliveries.add(Lane::kDefault, {.sent = i, .since = 10 * i, .learner = i % learners});
            for (Op known = 1; known <= i; ++known) {
                EXPECT_TRUE(deliveries.covers(Lane::kDefault, known,
                                              clock_with(known % learners, 10 * known)))
                    << learners << " " << i << " " << known;
            }
        }
    }
}

TEST(Deliveries, TheNewestFactsAreExact) {
    Deliveries deliveries;
    for (Op i = 1; i <= 50; ++i)
        deliveries.add(Lane::kDefault, {.sent = i, .since = 10 * i, .learner = 0});
    EXPECT_FALSE(deliveries.covers(Lane::kDefault, 50, clock_with(0, 499)));
}

}  // namespace
}  // namespace tessera::check::race
