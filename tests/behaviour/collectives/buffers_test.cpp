// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when what a PE has left for others in a team's buffers is overwritten before all have read
// it: by the next broadcasts of a root that never waits, or by another team that gets the buffers.
#include <gtest/gtest.h>
#include <shmem.h>

#include <random>

#include "collectives/script.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::dawdle;

// A root that never waits is ahead of those who come late; other roots follow.
TEST(Buffers, BroadcastsInARowKeepTheirData) {
    constexpr long kCalls = 300;
    constexpr std::size_t kElements = 5;
    const long npes = shmem_n_pes();
    auto* source = static_cast<long*>(shmem_malloc(kElements * sizeof(long)));
    auto* dest = static_cast<long*>(shmem_malloc(kElements * sizeof(long)));
    std::mt19937 own(static_cast<unsigned>(shmem_my_pe()));
    for (long call = 0; call < kCalls; ++call) {
        const long root = call < kCalls / 2 ? 0 : call % npes;
        if (shmem_my_pe() != root) dawdle(own);
        for (std::size_t i = 0; i < kElements; ++i) source[i] = call;
        const int failed =
            shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, kElements, static_cast<int>(root));
        ASSERT_EQ(failed, 0);
        for (std::size_t i = 0; i < kElements; ++i) ASSERT_EQ(dest[i], call) << "root " << root;
    }
    shmem_free(source);
    shmem_free(dest);
}

// Short and long ones use different parts of the buffers; the longest need the place of several.
TEST(Buffers, BroadcastsOfManyLengthsKeepTheirData) {
    constexpr std::size_t kLengths[] = {1, 5, 255, 256, 257, 300, 511, 513, 1000, 1024};
    const int me = shmem_my_pe();
    auto* source = static_cast<long*>(shmem_malloc(1024 * sizeof(long)));
    auto* dest = static_cast<long*>(shmem_malloc(1024 * sizeof(long)));
    tessera::test::Script script(tessera::test::shared_seed(), kLengths);
    std::mt19937 own(static_cast<unsigned>(me));
    for (long call = 0; call < 300; ++call) {
        const std::size_t length = script.length();
        const auto root = static_cast<int>(script.number() / 8 % unsigned(shmem_n_pes()));
        if (me != root) dawdle(own);
        for (std::size_t i = 0; i < length; ++i) source[i] = call + static_cast<long>(i);
        ASSERT_EQ(shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, length, root), 0);
        for (std::size_t i = 0; i < length; ++i)
            ASSERT_EQ(dest[i], call + static_cast<long>(i)) << "root " << root;
    }
    shmem_free(source);
    shmem_free(dest);
}

// A sync costs more than a short broadcast, so the root begins 31 of them behind one sync. Here the
// others come when the root has ended; where it waits for them before, the test does not end.
TEST(Buffers, ARootIsManyShortBroadcastsAhead) {
    static long source;
    static long dest;
    static long ended;
    constexpr long kAhead = 30;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &team);
    const auto broadcast = [&](long value) {
        source = value;
        shmem_long_broadcast(team, &dest, &source, 1, 0);
        return dest;
    };
    ASSERT_EQ(broadcast(1), 1);  // All meet in a team's first one.
    if (shmem_my_pe() != 0) shmem_long_wait_until(&ended, SHMEM_CMP_EQ, 1);
    for (long value = 2; value < 2 + kAhead; ++value) ASSERT_EQ(broadcast(value), value);
    for (int pe = 1; shmem_my_pe() == 0 && pe < shmem_n_pes(); ++pe) shmem_long_p(&ended, 1, pe);
    shmem_team_destroy(team);
}

// PE 0 is done with a team when PE 1 has not yet read, and shares its next team with PE 2 only.
TEST(Buffers, ATeamsBuffersLiveUntilAllHaveRead) {
    if (shmem_n_pes() < 3) return;
    const int me = shmem_my_pe();
    shmem_team_t parents[2] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID};
    for (int i = 0; i < 2; ++i)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, i + 1, 2, nullptr, 0, &parents[i]);
    auto* source = static_cast<long*>(shmem_malloc(sizeof(long)));
    auto* dest = static_cast<long*>(shmem_malloc(sizeof(long)));
    std::mt19937 own(static_cast<unsigned>(me));
    for (long call = 0; call < 100; ++call) {
        for (int i = 0; i < 2; ++i) {
            if (parents[i] == SHMEM_TEAM_INVALID) continue;
            shmem_team_t team = SHMEM_TEAM_INVALID;
            shmem_team_split_strided(parents[i], 0, 1, 2, nullptr, 0, &team);
            *source = 2 * call + i;
            if (me != 0) dawdle(own);
            shmem_long_broadcast(team, dest, source, 1, 0);
            ASSERT_EQ(*dest, 2 * call + i);
            shmem_team_destroy(team);
        }
    }
    shmem_barrier_all();
    shmem_free(source);
    shmem_free(dest);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
