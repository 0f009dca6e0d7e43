// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a context is not created, belongs to another team, counts PEs otherwise than its
// team, does not complete what was issued on it, or when a session changes what operations do
// (OpenSHMEM 1.6, 9.5 and 9.9).
#include <vector>

#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

using SessionConfig = shmem_ctx_session_config_t;

struct Contexts {
    int (*create)(long options, shmem_ctx_t* ctx);
    int (*team_create)(shmem_team_t team, long options, shmem_ctx_t* ctx);
    void (*destroy)(shmem_ctx_t ctx);
    int (*get_team)(shmem_ctx_t ctx, shmem_team_t* team);
    void (*session_start)(shmem_ctx_t ctx, long options, const SessionConfig* config, long mask);
    void (*session_stop)(shmem_ctx_t ctx);
};
#define CONTEXTS(P)                                                                 \
    Contexts {                                                                      \
        ROUTINE(P##shmem_ctx_create), ROUTINE(P##shmem_team_create_ctx),            \
            ROUTINE(P##shmem_ctx_destroy), ROUTINE(P##shmem_ctx_get_team),          \
            ROUTINE(P##shmem_ctx_session_start), ROUTINE(P##shmem_ctx_session_stop) \
    }
const Contexts kNames[] = {CONTEXTS(), CONTEXTS(p)};

const long kOptions[] = {0,
                         SHMEM_CTX_SERIALIZED,
                         SHMEM_CTX_PRIVATE,
                         SHMEM_CTX_NOSTORE,
                         SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE,
                         SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE};

// A team and its members, by their numbers in the world.
struct Members {
    shmem_team_t team;
    std::vector<int> pes;
};

Members split(int start, int stride, int size) {
    Members members{SHMEM_TEAM_INVALID, {}};
    EXPECT_EQ(
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &members.team),
        0);
    for (int i = 0; i < size; ++i) members.pes.push_back(start + i * stride);
    return members;
}

// A put and an atomic to each member by its number in the team, and what came from each. All PEs
// call it; `ctx` is SHMEM_CTX_INVALID on those outside of the team.
void exchange(shmem_ctx_t ctx, const Members& members) {
    static std::uint64_t turn = 0;
    ++turn;
    auto* words = reinterpret_cast<std::uint64_t*>(next_region().data);
    const auto npes = static_cast<std::size_t>(shmem_n_pes());
    const int me = shmem_my_pe();
    const auto value = [&](int from, int to, unsigned part) {
        return mix(turn, static_cast<unsigned>(from), static_cast<unsigned>(to), part);
    };
    std::fill(words, words + 2 * npes, 5);
    shmem_barrier_all();
    if (ctx != SHMEM_CTX_INVALID) {
        std::vector<std::uint64_t> sources(members.pes.size());
        for (std::size_t i = 0; i < members.pes.size(); ++i) {
            sources[i] = value(me, members.pes[i], 0);
            const int number = static_cast<int>(i);
            shmem_ctx_uint64_put_nbi(ctx, words + 2 * me, &sources[i], 1, number);
            shmem_ctx_uint64_atomic_add(ctx, words + 2 * me + 1, value(me, members.pes[i], 1),
                                        number);
        }
        shmem_ctx_quiet(ctx);
        for (std::size_t i = 0; i < members.pes.size(); ++i)
            EXPECT_EQ(shmem_ctx_uint64_g(ctx, words + 2 * me, static_cast<int>(i)), sources[i]);
    }
    shmem_barrier_all();
    for (std::size_t from = 0; from < npes; ++from) {
        bool is_from_member = ctx != SHMEM_CTX_INVALID &&
                              std::count(members.pes.begin(), members.pes.end(), from) > 0;
        const int pe = static_cast<int>(from);
        EXPECT_EQ(words[2 * from], is_from_member ? value(pe, me, 0) : 5) << "from PE " << pe;
        EXPECT_EQ(words[2 * from + 1], is_from_member ? 5 + value(pe, me, 1) : 5)
            << "from PE " << pe;
    }
    shmem_barrier_all();
}

Members world() {
    Members members{SHMEM_TEAM_WORLD, {}};
    for (int pe = 0; pe < shmem_n_pes(); ++pe) members.pes.push_back(pe);
    return members;
}

TEST(Context, of_the_world) {
    for (const Contexts& contexts : kNames) {
        for (long options : kOptions) {
            shmem_ctx_t ctx = SHMEM_CTX_INVALID;
            ASSERT_EQ(contexts.create(options, &ctx), 0);
            EXPECT_TRUE(ctx != SHMEM_CTX_INVALID && ctx != SHMEM_CTX_DEFAULT);
            shmem_team_t team = SHMEM_TEAM_INVALID;
            EXPECT_EQ(contexts.get_team(ctx, &team), 0);
            EXPECT_EQ(team, SHMEM_TEAM_WORLD);
            exchange(ctx, world());
            contexts.destroy(ctx);
        }
    }
}

TEST(Context, of_teams) {
    const int npes = shmem_n_pes();
    for (const Contexts& contexts : kNames) {
        const Members teams[] = {world(), split(npes - 1, -1, npes), split(0, 2, (npes + 1) / 2),
                                 split(npes / 2, 1, npes - npes / 2)};
        for (long options : kOptions) {
            for (const Members& members : teams) {
                shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
                bool is_member = members.team != SHMEM_TEAM_INVALID;
                EXPECT_EQ(contexts.team_create(members.team, options, &ctx) == 0, is_member);
                EXPECT_EQ(ctx != SHMEM_CTX_INVALID, is_member);
                shmem_team_t team = SHMEM_TEAM_WORLD;
                EXPECT_EQ(contexts.get_team(ctx, &team) == 0, is_member);
                EXPECT_EQ(team, members.team);
                exchange(ctx, members);
                contexts.destroy(ctx);
            }
        }
        for (const Members& members : teams) {
            if (members.team != SHMEM_TEAM_WORLD) shmem_team_destroy(members.team);
        }
    }
}

TEST(Context, of_the_shared_team) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx), 0);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_ctx_get_team(ctx, &team), 0);
    EXPECT_EQ(team, SHMEM_TEAM_SHARED);
    Members members{team, {}};
    for (int i = 0; i < shmem_team_n_pes(team); ++i)
        members.pes.push_back(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD));
    exchange(ctx, members);
    shmem_ctx_destroy(ctx);
}

TEST(Context, predefined) {
    static const shmem_ctx_t handles[] = {SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID};  // initializers
    EXPECT_NE(handles[0], handles[1]);
    exchange(SHMEM_CTX_DEFAULT, world());
    for (const Contexts& contexts : kNames) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        EXPECT_EQ(contexts.get_team(SHMEM_CTX_DEFAULT, &team), 0);
        EXPECT_EQ(team, SHMEM_TEAM_WORLD);
        EXPECT_NE(contexts.get_team(SHMEM_CTX_INVALID, &team), 0);
        EXPECT_EQ(team, SHMEM_TEAM_INVALID);
        shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
        EXPECT_NE(contexts.team_create(SHMEM_TEAM_INVALID, 0, &ctx), 0);
        EXPECT_EQ(ctx, SHMEM_CTX_INVALID);
        contexts.destroy(SHMEM_CTX_INVALID);
    }
}

// destroy completes what was issued on the context.
TEST(Context, destroy_is_quiet) {
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    const int left = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    for (const Contexts& contexts : kNames) {
        auto* word = reinterpret_cast<std::uint64_t*>(next_region().data);
        *word = 0;
        shmem_barrier_all();
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        ASSERT_EQ(contexts.create(0, &ctx), 0);
        std::uint64_t source = mix(3, static_cast<unsigned>(shmem_my_pe()));
        shmem_ctx_uint64_put_nbi(ctx, word, &source, 1, right);
        contexts.destroy(ctx);
        source = 0;
        shmem_sync_all();
        EXPECT_EQ(*word, mix(3, static_cast<unsigned>(left)));
        shmem_barrier_all();
    }
}

// As many as a program likes, and a team takes its contexts with it.
TEST(Context, many) {
    const int npes = shmem_n_pes();
    for (int round = 0; round < 3; ++round) {
        const Members members = split(npes - 1, -1, npes);
        std::vector<shmem_ctx_t> open(200, SHMEM_CTX_INVALID);
        for (shmem_ctx_t& ctx : open) ASSERT_EQ(shmem_team_create_ctx(members.team, 0, &ctx), 0);
        exchange(open.back(), members);
        exchange(open.front(), members);
        for (std::size_t i = 0; i < open.size(); i += 2) shmem_ctx_destroy(open[i]);
        exchange(open[1], members);
        shmem_team_destroy(members.team);
    }
}

// Sessions are hints: with any of them, operations do what they do without.
TEST(Session, changes_nothing) {
    const int npes = shmem_n_pes();
    const Members backwards = split(npes - 1, -1, npes);
    const SessionConfig config{.total_ops = 3};
    for (const Contexts& contexts : kNames) {
        shmem_ctx_t created = SHMEM_CTX_INVALID;
        shmem_ctx_t of_team = SHMEM_CTX_INVALID;
        ASSERT_EQ(contexts.create(0, &created), 0);
        ASSERT_EQ(contexts.team_create(backwards.team, SHMEM_CTX_SERIALIZED, &of_team), 0);
        for (shmem_ctx_t ctx : {SHMEM_CTX_DEFAULT, created, of_team}) {
            const Members members = ctx == of_team ? backwards : world();
            contexts.session_stop(ctx);  // No session is running.
            contexts.session_start(ctx, 0, nullptr, 0);
            exchange(ctx, members);
            contexts.session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config,
                                   SHMEM_CTX_SESSION_TOTAL_OPS);  // While one is running.
            exchange(ctx, members);
            contexts.session_stop(ctx);
            contexts.session_stop(ctx);
            exchange(ctx, members);
        }
        contexts.session_start(created, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
        contexts.destroy(created);  // With a session running.
        contexts.destroy(of_team);
        contexts.session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
        contexts.session_stop(SHMEM_CTX_INVALID);
    }
    shmem_team_destroy(backwards.team);
}

}  // namespace
}  // namespace tessera::conformance
