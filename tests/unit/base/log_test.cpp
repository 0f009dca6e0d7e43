// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a subsystem logs that was not asked for, or when a line loses its prefix.
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/fatal.hpp"

namespace tessera {
namespace {

TEST(Log, WritesOnlyWhatWasAskedFor) {
    log_subsystems = {};
    log_subsystems.add(Subsystem::kHeap);
    set_message_prefix("[pe 3] ");
    testing::internal::CaptureStderr();
    log(Subsystem::kSetup, "hidden");
    log(Subsystem::kHeap, "%d bytes", 42);
    std::string output = testing::internal::GetCapturedStderr();
    set_message_prefix("");
    log_subsystems = {};
    EXPECT_EQ(output, "[pe 3] heap: 42 bytes\n");
}

TEST(Log, LongLinesAreCutNotSplit) {
    log_subsystems.add(Subsystem::kSetup);
    testing::internal::CaptureStderr();
    log(Subsystem::kSetup, "%s", std::string(5000, 'x').c_str());
    std::string output = testing::internal::GetCapturedStderr();
    log_subsystems = {};
    EXPECT_LT(output.size(), 1100U);
    EXPECT_EQ(output.find('\n'), output.size() - 1);
}

}  // namespace
}  // namespace tessera
