// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the predefined handles are no constants, or SHMEM_CTX_DEFAULT is another context than
// the one of the routines without a context. Bad handles are in mistakes/handles_test.py.
#include <shmem.h>

#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

// As the specification's examples use them.
shmem_ctx_t static_invalid = SHMEM_CTX_INVALID;
shmem_ctx_t static_default = SHMEM_CTX_DEFAULT;
thread_local shmem_ctx_t thread_context = SHMEM_CTX_INVALID;
shmem_team_t static_teams[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};

TEST(Contexts, HandlesAreConstants) {
    EXPECT_EQ(static_invalid, SHMEM_CTX_INVALID);
    EXPECT_EQ(static_default, SHMEM_CTX_DEFAULT);
    EXPECT_EQ(thread_context, SHMEM_CTX_INVALID);
    EXPECT_NE(static_default, static_invalid);
    EXPECT_NE(static_teams[0], static_teams[1]);
    EXPECT_NE(static_teams[1], static_teams[2]);
    EXPECT_NE(static_teams[0], static_teams[2]);
}

// An operation on SHMEM_CTX_DEFAULT is completed by shmem_quiet, and the other way round.
TEST(Contexts, DefaultIsTheOneWithoutName) {
    static long words[2];
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    const long one = 1;
    long got = 0;
    words[0] = words[1] = 0;
    shmem_barrier_all();
    shmem_ctx_long_put_nbi(static_default, &words[0], &one, 1, right);
    shmem_quiet();
    shmem_long_get(&got, &words[0], 1, right);
    EXPECT_EQ(got, 1);
    shmem_long_put_nbi(&words[1], &one, 1, right);
    shmem_ctx_quiet(static_default);
    EXPECT_EQ(shmem_ctx_long_g(SHMEM_CTX_DEFAULT, &words[1], right), 1);
    shmem_barrier_all();
}

// When the end of each context takes a look at all others, a million of them take longer than the
// test may run.
TEST(Contexts, ManyComeAndGo) {
    static long words[2];
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    const int count = shmem_n_pes() == 1 ? 1'000'000 : tessera::test::scaled(20'000);
    std::vector<shmem_ctx_t> contexts(static_cast<std::size_t>(count));
    for (shmem_ctx_t& ctx : contexts) ASSERT_EQ(shmem_ctx_create(0, &ctx), 0);
    shmem_ctx_long_atomic_inc(contexts.front(), &words[0], right);
    shmem_ctx_long_atomic_inc(contexts.back(), &words[1], right);
    for (shmem_ctx_t ctx : contexts) shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    EXPECT_EQ(words[0], 1);
    EXPECT_EQ(words[1], 1);
}

// The operations of a team's contexts are complete when the team, and they with it, has ended.
TEST(Contexts, EndWithTheirTeam) {
    static long words[1];
    const int npes = shmem_n_pes();
    const int right = (shmem_my_pe() + 1) % npes;
    for (int round = 1; round <= 3; ++round) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, nullptr, 0, &team), 0);
        for (int i = 0; i < 3; ++i) {
            shmem_ctx_t ctx = SHMEM_CTX_INVALID;
            ASSERT_EQ(shmem_team_create_ctx(team, 0, &ctx), 0);
            shmem_ctx_long_atomic_inc(ctx, words, right);
        }
        shmem_team_destroy(team);
        shmem_barrier_all();
        EXPECT_EQ(words[0], 3 * round);
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
