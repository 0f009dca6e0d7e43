// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the time runs backwards or differs between PEs of a node, when the node has another
// name than the system says, when SHMEMX_TEAM_NODE is not a team of its own with the node's PEs, or
// when a hint changes what a routine does.
#include <shmemx.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

TEST(Basics, TimeGrowsAndIsTheSameOnAllPes) {
    static double times[2];
    double before = shmemx_wtime();
    for (int i = 0; i < 100; ++i) {
        const double now = shmemx_wtime();
        ASSERT_GE(now, before);
        before = now;
    }
    // PE 0 reads the clock first, then the others, then PE 0 again.
    if (shmem_my_pe() == 0) times[0] = shmemx_wtime();
    shmem_barrier_all();
    const double here = shmemx_wtime();
    shmem_barrier_all();
    if (shmem_my_pe() == 0) times[1] = shmemx_wtime();
    shmem_barrier_all();
    EXPECT_GE(here, shmem_double_g(&times[0], 0));
    EXPECT_LE(here, shmem_double_g(&times[1], 0));
}

// Seconds, not another unit: compared with the system's own clock.
TEST(Basics, TimeIsInSeconds) {
    timespec start{};
    timespec end{};
    ::clock_gettime(CLOCK_MONOTONIC, &start);
    const double now = shmemx_wtime();
    ::clock_gettime(CLOCK_MONOTONIC, &end);
    const auto seconds = [](const timespec& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
    };
    EXPECT_GE(now, seconds(start));
    EXPECT_LE(now, seconds(end));
}

TEST(Basics, NodeName) {
    char expected[256] = "";
    ASSERT_EQ(::gethostname(expected, sizeof expected - 1), 0);
    EXPECT_STREQ(shmemx_nodename(), expected);
    EXPECT_EQ(shmemx_nodename(), shmemx_nodename());
}

// A wrong name would send readers of a report to the wrong setting.
TEST(Algorithms, HaveTheNamesOfTheSettings) {
    EXPECT_EQ(shmemx_collective_algorithm(SHMEM_TEAM_WORLD, "shmem_put", 8), nullptr);
    EXPECT_EQ(shmemx_collective_algorithm(SHMEM_TEAM_WORLD, nullptr, 8), nullptr);
    EXPECT_NE(shmemx_collective_algorithm(SHMEM_TEAM_WORLD, "shmem_barrier_all", 0), nullptr);
    auto* data = static_cast<double*>(shmem_malloc(2 * sizeof(double)));
    data[0] = 1;
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, data + 1, data, 1);
    const char* name =
        shmemx_collective_algorithm(SHMEM_TEAM_WORLD, "shmem_double_sum_reduce", sizeof(double));
    ASSERT_NE(name, nullptr);
    const char* wanted = std::getenv("SHMEM_REDUCE_ALGORITHM");
    if (wanted != nullptr) {
        EXPECT_STREQ(name, wanted);
    }
    // No call of this size yet. A PE alone has no choice.
    const char* none =
        shmemx_collective_algorithm(SHMEM_TEAM_WORLD, "shmem_double_sum_reduce", 1 << 20);
    if (shmem_n_pes() > 1 && wanted == nullptr) {
        EXPECT_EQ(none, nullptr);
    }
    shmem_free(data);
}

// A choice that also serves larger sizes could not take an algorithm whose limit is a power of two
// for calls of just that size, which are the most frequent ones.
TEST(Algorithms, PowersOfTwoShareAChoiceWithSmallerSizesOnly) {
    constexpr const char* kRoutine = "shmem_broadcastmem";
    constexpr std::size_t kBytes = 8192;
    if (shmem_n_pes() == 1 || std::getenv("SHMEM_BROADCAST_ALGORITHM") != nullptr)
        GTEST_SKIP() << "no choice";
    auto* data = static_cast<char*>(shmem_calloc(2, kBytes));
    shmem_broadcastmem(SHMEM_TEAM_WORLD, data + kBytes, data, kBytes, 0);
    const char* chosen = shmemx_collective_algorithm(SHMEM_TEAM_WORLD, kRoutine, kBytes);
    ASSERT_NE(chosen, nullptr);
    EXPECT_EQ(shmemx_collective_algorithm(SHMEM_TEAM_WORLD, kRoutine, kBytes - 1), chosen);
    EXPECT_EQ(shmemx_collective_algorithm(SHMEM_TEAM_WORLD, kRoutine, kBytes + 1), nullptr);
    shmem_free(data);
}

TEST(TeamNode, HasThePesOfTheNode) {
    // All PEs of these tests run on one node.
    EXPECT_EQ(shmem_team_my_pe(SHMEMX_TEAM_NODE), shmem_my_pe());
    EXPECT_EQ(shmem_team_n_pes(SHMEMX_TEAM_NODE), shmem_n_pes());
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        EXPECT_EQ(shmem_team_translate_pe(SHMEMX_TEAM_NODE, pe, SHMEM_TEAM_WORLD), pe);
        EXPECT_EQ(shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEMX_TEAM_NODE), pe);
    }
    EXPECT_EQ(shmem_team_translate_pe(SHMEMX_TEAM_NODE, shmem_n_pes(), SHMEM_TEAM_WORLD), -1);
    shmem_team_config_t config{};
    config.num_contexts = 5;
    EXPECT_EQ(shmem_team_get_config(SHMEMX_TEAM_NODE, SHMEM_TEAM_NUM_CONTEXTS, &config), 0);
    EXPECT_EQ(config.num_contexts, 0);
    static long word;
    EXPECT_EQ(shmem_team_ptr(SHMEMX_TEAM_NODE, &word, shmem_my_pe()), &word);
}

// Different teams may be used by different members in different orders only if they share no state.
TEST(TeamNode, SharesNoStateWithOtherTeams) {
    static long sums[3];
    static long one = 1;
    const shmem_team_t teams[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEMX_TEAM_NODE};
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 3; ++i) {
            const int team = (i + round) % 3;
            ASSERT_EQ(shmem_long_sum_reduce(teams[team], &sums[team], &one, 1), 0);
            ASSERT_EQ(sums[team], shmem_n_pes());
        }
        ASSERT_EQ(shmem_team_sync(SHMEMX_TEAM_NODE), 0);
    }
}

// Two threads of each PE, one on each team, at the same time.
TEST(TeamNode, SyncsOfTwoTeamsAtTheSameTime) {
    static long reached[2];
    reached[0] = reached[1] = 0;
    shmem_barrier_all();
    auto work = [](int i, shmem_team_t team) {
        const int rounds = tessera::test::scaled(400);
        for (long round = 1; round <= rounds; ++round) {
            shmem_long_atomic_set(&reached[i], round, shmem_my_pe());
            shmem_team_sync(team);
            for (int pe = 0; pe < shmem_n_pes(); ++pe) {
                if (shmem_long_atomic_fetch(&reached[i], pe) >= round) continue;
                std::fprintf(stderr, "PE %d had not come\n", pe);
                shmem_global_exit(1);
            }
        }
    };
    std::thread other(work, 0, SHMEM_TEAM_SHARED);
    work(1, SHMEMX_TEAM_NODE);
    other.join();
}

TEST(TeamNode, HasChildrenAndContexts) {
    shmem_team_t even = SHMEM_TEAM_INVALID;
    const int members = (shmem_n_pes() + 1) / 2;
    ASSERT_EQ(shmem_team_split_strided(SHMEMX_TEAM_NODE, 0, members > 1 ? 2 : 1, members, nullptr,
                                       0, &even),
              0);
    const bool is_member = shmem_my_pe() % 2 == 0;
    EXPECT_EQ(even != SHMEM_TEAM_INVALID, is_member);
    if (is_member) {
        EXPECT_EQ(shmem_team_my_pe(even), shmem_my_pe() / 2);
    }
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_team_create_ctx(SHMEMX_TEAM_NODE, SHMEMX_CTX_BOUNCE_BUFFER, &ctx), 0);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_ctx_get_team(ctx, &team), 0);
    EXPECT_EQ(team, SHMEMX_TEAM_NODE);
    static long word;
    word = -1;
    shmem_barrier_all();
    const long mine = shmem_my_pe();
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_ctx_long_put_nbi(ctx, &word, &mine, 1, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    EXPECT_EQ(word, (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes());
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(even);
}

// The same place on all PEs, in any order of their calls.
TEST(Hints, MallocWithoutBarrier) {
    static std::uint64_t distances[64];
    char* anchor = static_cast<char*>(shmem_malloc(64));
    for (int round = 0; round < 10; ++round) {
        const long hints =
            SHMEMX_MALLOC_NO_BARRIER | (round % 2 == 0 ? SHMEM_MALLOC_SIGNAL_REMOTE : 0L);
        auto* block = static_cast<long*>(shmem_malloc_with_hints(100, hints));
        ASSERT_NE(block, nullptr);
        const auto distance = static_cast<std::uint64_t>(reinterpret_cast<char*>(block) - anchor);
        block[0] = shmem_my_pe();
        shmem_uint64_p(&distances[shmem_my_pe()], distance, 0);
        shmem_barrier_all();
        if (shmem_my_pe() == 0) {
            for (int pe = 0; pe < shmem_n_pes(); ++pe) EXPECT_EQ(distances[pe], distance);
        }
        for (int pe = 0; pe < shmem_n_pes(); ++pe) EXPECT_EQ(shmem_long_g(block, pe), pe);
        shmem_free(block);
    }
    EXPECT_EQ(shmem_malloc_with_hints(0, SHMEMX_MALLOC_NO_BARRIER), nullptr);
    EXPECT_EQ(shmem_malloc_with_hints(SIZE_MAX / 2, SHMEMX_MALLOC_NO_BARRIER), nullptr);
    shmem_free(anchor);
}

// One PE after the other: with a barrier in the call this would hang. SHMEM_DEBUG has one.
TEST(Hints, MallocWithoutBarrierWaitsForNobody) {
    if (std::getenv("SHMEM_DEBUG") != nullptr) GTEST_SKIP();
    static long turn;
    turn = 0;
    shmem_barrier_all();
    shmem_long_wait_until(&turn, SHMEM_CMP_EQ, shmem_my_pe() == 0 ? 0 : 1);
    void* block = shmem_malloc_with_hints(100, SHMEMX_MALLOC_NO_BARRIER);
    if (shmem_my_pe() + 1 < shmem_n_pes()) shmem_long_p(&turn, 1, shmem_my_pe() + 1);
    shmem_barrier_all();
    shmem_free(block);
}

}  // namespace

// Some work before initialization, too. The messages of register_gettid are in
// shmemx_errors_test.py.
int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    int initialized = -1;
    shmemx_query_initialized(&initialized);
    if (initialized != 0 || !(shmemx_wtime() > 0) || shmemx_nodename()[0] == '\0') {
        std::fprintf(stderr, "before initialization: %d, %f, '%s'\n", initialized, shmemx_wtime(),
                     shmemx_nodename());
        return 1;
    }
    int provided = -1;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (shmem_my_pe() != 0) delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new tessera::test::PeReporter);
    listeners.Append(new tessera::test::PeBarrier);
    int result = RUN_ALL_TESTS();
    shmem_finalize();
    shmemx_query_initialized(&initialized);
    return result != 0 ? result : initialized;
}
