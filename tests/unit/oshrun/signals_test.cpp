// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a signal that does not end the job ends oshrun's wait for its PMIx server, or when
// one that ends it does not.
#include "tools/oshrun/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

using tessera::oshrun::end_signal_is_pending;

TEST(Signals, OnlySomeEndTheJob) {
    const auto state = tessera::oshrun::take_signals();
    for (int signal : {SIGCHLD, SIGUSR1, SIGUSR2, SIGQUIT, SIGCONT}) {
        ASSERT_EQ(raise(signal), 0);
        EXPECT_FALSE(end_signal_is_pending()) << signal;
    }
    ASSERT_EQ(raise(SIGTERM), 0);
    EXPECT_TRUE(end_signal_is_pending());
}
