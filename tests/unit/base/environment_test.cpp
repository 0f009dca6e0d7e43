// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a variable of the environment is not found, or one is that is not there.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace tessera {
namespace {

TEST(Environment, Values) {
    ASSERT_EQ(::setenv("TESSERA_TEST_VALUE", "a=b", 1), 0);
    EXPECT_STREQ(environment("TESSERA_TEST_VALUE"), "a=b");
    ASSERT_EQ(::setenv("TESSERA_TEST_VALUE", "", 1), 0);
    EXPECT_STREQ(environment("TESSERA_TEST_VALUE"), "");
    ASSERT_EQ(::unsetenv("TESSERA_TEST_VALUE"), 0);
    EXPECT_EQ(environment("TESSERA_TEST_VALUE"), nullptr);
}

TEST(Environment, Entries) {
    ASSERT_EQ(::setenv("TESSERA_TEST_VALUE", "x", 1), 0);
    int found = 0;
    for (const char* const* entry = environment_entries(); *entry != nullptr; ++entry) {
        if (std::strcmp(*entry, "TESSERA_TEST_VALUE=x") == 0) ++found;
    }
    EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace tessera
