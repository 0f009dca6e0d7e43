// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a use of a buffer that a nonblocking transfer still needs is not seen, or when a
// right use is told.
#include "tools/check/race/pending.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tessera::check::race {
namespace {

Pending transfer(const void* address, std::size_t bytes, bool is_dest, Lane lane = Lane::kDefault) {
    return {.begin = reinterpret_cast<std::uintptr_t>(address),
            .bytes = bytes,
            .is_dest = is_dest,
            .lane = lane,
            .op = 1,
            .call = "a call"};
}

TEST(Pending, ASourceMayBeReadAndADestNot) {
    char buffer[64] = {};
    PendingList list;
    list.add(transfer(buffer, 32, false));
    list.add(transfer(buffer + 32, 32, true));
    EXPECT_TRUE(list.disturbed_by(buffer, 32, false, 2).empty());
    EXPECT_EQ(list.disturbed_by(buffer + 31, 1, true, 2).size(), 1U);
    EXPECT_EQ(list.disturbed_by(buffer + 31, 2, false, 2).size(), 1U);
    EXPECT_TRUE(list.disturbed_by(buffer + 64, 8, true, 2).empty());
    EXPECT_TRUE(list.disturbed_by(buffer + 31, 2, true, 1).empty()) << "the call itself";
    EXPECT_TRUE(list.disturbed_by(buffer + 16, 0, true, 2).empty()) << "no bytes";
}

TEST(Pending, QuietEndsTheLaneOfItsContext) {
    char buffer[64] = {};
    PendingList list;
    list.add(transfer(buffer, 8, true));
    list.add(transfer(buffer + 8, 8, true, Lane::kOthers));
    EXPECT_TRUE(list.complete(Lane::kDefault).empty());
    EXPECT_TRUE(list.disturbed_by(buffer, 8, true, 2).empty());
    EXPECT_EQ(list.disturbed_by(buffer + 8, 8, true, 2).size(), 1U);
}

TEST(Pending, AStoreToASourceChangesItsSum) {
    char buffer[64] = {};
    PendingList list;
    list.add(transfer(buffer, 64, false));
    buffer[63] = 1;
    auto changed = list.complete(Lane::kDefault);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed[0].call, "a call");
    EXPECT_TRUE(list.complete(Lane::kDefault).empty());
}

TEST(Pending, ADestMayChangeAndASourceMayBeUnmapped) {
    char buffer[64] = {};
    PendingList list;
    list.add(transfer(buffer, 64, true));
    buffer[0] = 1;
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    list.add(transfer(page, 4096, false));
    munmap(page, 4096);
    EXPECT_TRUE(list.complete(Lane::kDefault).empty());
}

}  // namespace
}  // namespace tessera::check::race
