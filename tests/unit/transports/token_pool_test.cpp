// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a token that was not given out, or whose object has been put back, finds an object,
// or when one that was given out does not find its own, in any chunk of the pool.
#include "transports/token_pool.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

using Pool = TokenPool<int>;

TEST(TokenPool, EachTokenFindsItsObject) {
    Pool pool;
    std::vector<Pool::Entry*> taken;
    for (int i = 0; i < 1000; ++i) taken.push_back(&pool.take(i));
    for (int i = 0; i < 1000; ++i) {
        Pool::Entry* entry = taken[static_cast<std::size_t>(i)];
        ASSERT_EQ(pool.find(entry->token.load()), entry);
        ASSERT_EQ(entry->object, i);
        ASSERT_EQ(entry->token.load() >> Pool::kTokenBits, 0U);
    }
}

TEST(TokenPool, NoOtherTokenFindsAnything) {
    Pool pool;
    const std::uint64_t token = pool.take(1).token.load();
    EXPECT_EQ(pool.find(0), nullptr);
    EXPECT_EQ(pool.find(token + 1), nullptr);                         // an entry not taken
    EXPECT_EQ(pool.find(token + 100'000), nullptr);                   // beyond the pool
    EXPECT_EQ(pool.find(token + (std::uint64_t{1} << 32)), nullptr);  // another generation
    EXPECT_EQ(pool.find(~std::uint64_t{0}), nullptr);
}

TEST(TokenPool, TokensEndWithTheirUse) {
    Pool pool;
    Pool::Entry& entry = pool.take(1);
    const std::uint64_t first = entry.token.load();
    pool.put_back(entry);
    EXPECT_EQ(pool.find(first), nullptr);
    Pool::Entry& again = pool.take(2);
    ASSERT_EQ(&again, &entry);
    EXPECT_EQ(pool.find(first), nullptr);
    const std::uint64_t second = again.token.load();
    EXPECT_NE(again.renew(), second);
    EXPECT_EQ(pool.find(second), nullptr);
}

}  // namespace
}  // namespace tessera
