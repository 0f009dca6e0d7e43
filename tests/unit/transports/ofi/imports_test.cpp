// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when calls of a library cannot be replaced, when those of others are replaced with them,
// or when a part of the calls is replaced where not all can be.
#include "transports/ofi/imports.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>

#include "transports/ofi/library.hpp"

namespace tessera::ofi {
namespace {

int calls = 0;

void* counted_calloc(std::size_t count, std::size_t bytes) {
    ++calls;
    return std::calloc(count, bytes);
}

// Answers are in memory that libfabric allocates.
void ask() {
    fi_info* found = nullptr;
    if (library().getinfo(kApiVersion, nullptr, nullptr, 0, nullptr, &found) == 0)
        library().freeinfo(found);
}

const void* inside() { return reinterpret_cast<const void*>(library().getinfo); }

TEST(Imports, AllOrNone) {
    const Import imports[] = {{"listen", reinterpret_cast<void*>(&counted_calloc)},
                              {"no_such_function", reinterpret_cast<void*>(&counted_calloc)}};
    EXPECT_FALSE(replace_imports(inside(), imports));
    const int nothing = 0;
    EXPECT_FALSE(replace_imports(&nothing, imports)) << "the stack belongs to no object";
    EXPECT_NE(::listen(-1, 0), 0);
    EXPECT_EQ(calls, 0);
}

TEST(Imports, CallsOfTheObjectAlone) {
    const Import imports[] = {{"calloc", reinterpret_cast<void*>(&counted_calloc)}};
    ASSERT_TRUE(replace_imports(inside(), imports));
    EXPECT_FALSE(replace_imports(inside(), imports)) << "the address is not the expected one now";
    std::free(std::calloc(1, 1));
    EXPECT_EQ(calls, 0);
    ask();
    EXPECT_GT(calls, 0);
}

}  // namespace
}  // namespace tessera::ofi
