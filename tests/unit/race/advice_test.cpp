// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a race is explained by the wrong sentence.
#include "tools/check/race/advice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::check::race {
namespace {

Access access(int pe, Touch touch) {
    return {.op = 1, .pe = static_cast<std::uint16_t>(pe), .mask = 0xff, .touch = touch};
}

std::string mistake(const Access& earlier, const Access& now, bool is_after = false) {
    return advice_for(earlier, now, is_after).mistake;
}

TEST(Advice, NamesTheKindOfRace) {
    Access write = access(0, Touch::kWrite);
    Access read = access(0, Touch::kRead);
    EXPECT_NE(mistake(write, access(1, Touch::kWrite)).find("two PEs write"), std::string::npos);
    EXPECT_NE(mistake(write, access(1, Touch::kRead)).find("one PE reads"), std::string::npos);
    EXPECT_NE(mistake(read, access(1, Touch::kWrite)).find("one PE reads"), std::string::npos);
    EXPECT_NE(mistake(write, access(1, Touch::kAtomicRead)).find("atomic and plain"),
              std::string::npos);
    EXPECT_NE(mistake(write, access(0, Touch::kRead)).find("its own put"), std::string::npos);
    EXPECT_NE(mistake(write, access(0, Touch::kWrite)).find("any order"), std::string::npos);
    EXPECT_NE(mistake(read, access(0, Touch::kWrite)).find("nonblocking get"), std::string::npos);
}

TEST(Advice, AsksForAQuietWhereTheOrderIsKnown) {
    Advice advice = advice_for(access(0, Touch::kWrite), access(1, Touch::kRead), true);
    EXPECT_NE(std::string(advice.missing).find("shmem_quiet"), std::string::npos);
    EXPECT_NE(mistake(access(0, Touch::kRead), access(1, Touch::kWrite), true)
                  .find("nonblocking get may still read"),
              std::string::npos);
}

}  // namespace
}  // namespace tessera::check::race
