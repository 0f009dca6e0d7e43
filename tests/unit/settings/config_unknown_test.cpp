// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a misspelled variable passes in silence, or when a known or foreign one is complained
// about.
#include <gtest/gtest.h>

#include <cstdlib>

#include "settings/config.hpp"

namespace tessera {
namespace {

TEST(UnknownVariables, AreNamedWithTheNearestKnownOne) {
    EXPECT_EQ(unknown_variable_text("SHMEM_SYMETRIC_SIZE"),
              "unknown variable SHMEM_SYMETRIC_SIZE has no effect; did you mean "
              "SHMEM_SYMMETRIC_SIZE?");
    EXPECT_EQ(unknown_variable_text("SHMEM_TEA_KETTLES"),
              "unknown variable SHMEM_TEA_KETTLES has no effect; osh_info --variables lists the "
              "known ones");
}

TEST(UnknownVariables, KnownAndForeignNamesPass) {
    for (const Variable& variable : variables())
        EXPECT_EQ(unknown_variable_text(variable.name), "");
    for (const char* name : {"PATH", "SMA_COLOR", "NVSHMEM_DEBUG", "SHMEM", "SHMEM_HOME", ""})
        EXPECT_EQ(unknown_variable_text(name), "") << name;
}

TEST(UnknownVariables, AreFoundAmongEntries) {
    const char* entries[] = {"HOME=/", "SHMEM_INFOS=1", "SHMEM_DEBUG=1", "SHMEM_ODD", nullptr};
    std::vector<std::string> texts = unknown_variable_texts(entries);
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_NE(texts[0].find("SHMEM_INFOS "), std::string::npos);
    EXPECT_NE(texts[1].find("SHMEM_ODD "), std::string::npos);
    EXPECT_TRUE(unknown_variable_texts(nullptr).empty());
}

TEST(UnknownVariables, WarningGoesToStderr) {
    ::setenv("SHMEM_DEBUGG", "1", 1);
    testing::internal::CaptureStderr();
    Config config;
    config.warnings = {"a warning"};
    warn_about_settings(config);
    std::string output = testing::internal::GetCapturedStderr();
    ::unsetenv("SHMEM_DEBUGG");
    EXPECT_NE(output.find("a warning\n"), std::string::npos) << output;
    EXPECT_NE(output.find("SHMEM_DEBUGG has no effect; did you mean SHMEM_DEBUG?\n"),
              std::string::npos)
        << output;
}

}  // namespace
}  // namespace tessera
