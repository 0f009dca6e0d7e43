// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when collectives on different teams by different threads mix, or when making and ending
// teams and contexts in one thread disturbs what the others do.
#include <algorithm>
#include <vector>

#include "support/thread_test.hpp"

namespace {

using tessera::test::kThreadCounts;
using tessera::test::kThreadsMax;
using tessera::test::run_threads;
using tessera::test::scaled;
using tessera::test::SymmetricArray;
using tessera::test::word_of;

constexpr std::size_t kWords = 8;  // from each PE in a collective

struct Member {
    shmem_team_t team;
    int index;
    int npes;
};
Member member_of(shmem_team_t team) {
    return {team, shmem_team_my_pe(team), shmem_team_n_pes(team)};
}
int world_pe(const Member& member, int index) {
    return shmem_team_translate_pe(member.team, index, SHMEM_TEAM_WORLD);
}

// Memory of one thread on every PE.
struct Buffers {
    static constexpr std::size_t kHalf = 16 * kWords;  // for up to 16 PEs
    explicit Buffers(std::uint64_t* memory) : source(memory), dest(memory + kHalf) {}
    std::uint64_t* source;
    std::uint64_t* dest;
};
Buffers buffers_of(const SymmetricArray<std::uint64_t>& memory, int thread) {
    return Buffers(memory.get() + static_cast<std::size_t>(thread) * 2 * Buffers::kHalf);
}
SymmetricArray<std::uint64_t> make_buffers() {
    return SymmetricArray<std::uint64_t>(kThreadsMax * 2 * Buffers::kHalf);
}

void check_reduce(const Member& member, const Buffers& buffers, int thread, int round) {
    std::uint64_t sum[kWords] = {};
    for (std::size_t i = 0; i < kWords; ++i) {
        buffers.source[i] = word_of(world_pe(member, member.index), thread, round, i);
        for (int k = 0; k < member.npes; ++k)
            sum[i] += word_of(world_pe(member, k), thread, round, i);
    }
    ASSERT_EQ(shmem_uint64_sum_reduce(member.team, buffers.dest, buffers.source, kWords), 0);
    for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(buffers.dest[i], sum[i]) << "reduce";
}

void check_broadcast(const Member& member, const Buffers& buffers, int thread, int round) {
    const int root = round % member.npes;
    for (std::size_t i = 0; i < kWords; ++i)
        buffers.source[i] = word_of(world_pe(member, member.index), thread, round, i);
    ASSERT_EQ(shmem_uint64_broadcast(member.team, buffers.dest, buffers.source, kWords, root), 0);
    for (std::size_t i = 0; i < kWords; ++i) {
        ASSERT_EQ(buffers.dest[i], word_of(world_pe(member, root), thread, round, i))
            << "broadcast";
    }
}

void check_collect(const Member& member, const Buffers& buffers, int thread, int round) {
    auto count_of = [&](int index) {
        return static_cast<std::size_t>(index + round) % (kWords + 1);
    };
    const std::size_t mine = count_of(member.index);
    for (std::size_t i = 0; i < mine; ++i)
        buffers.source[i] = word_of(world_pe(member, member.index), thread, round, i);
    ASSERT_EQ(shmem_uint64_collect(member.team, buffers.dest, buffers.source, mine), 0);
    std::size_t at = 0;
    for (int k = 0; k < member.npes; ++k) {
        for (std::size_t i = 0; i < count_of(k); ++i, ++at) {
            ASSERT_EQ(buffers.dest[at], word_of(world_pe(member, k), thread, round, i))
                << "collect";
        }
    }
}

void check_alltoall(const Member& member, const Buffers& buffers, int thread, int round) {
    for (int k = 0; k < member.npes; ++k) {
        for (std::size_t i = 0; i < kWords; ++i) {
            buffers.source[static_cast<std::size_t>(k) * kWords + i] =
                word_of(world_pe(member, member.index), thread, round * 16 + k, i);
        }
    }
    ASSERT_EQ(shmem_uint64_alltoall(member.team, buffers.dest, buffers.source, kWords), 0);
    for (int k = 0; k < member.npes; ++k) {
        for (std::size_t i = 0; i < kWords; ++i) {
            ASSERT_EQ(buffers.dest[static_cast<std::size_t>(k) * kWords + i],
                      word_of(world_pe(member, k), thread, round * 16 + member.index, i))
                << "alltoall";
        }
    }
}

void check_scan(const Member& member, const Buffers& buffers, int thread, int round) {
    std::uint64_t sum[kWords] = {};
    for (std::size_t i = 0; i < kWords; ++i) {
        for (int k = 0; k < member.index; ++k)
            sum[i] += word_of(world_pe(member, k), thread, round, i);
        buffers.source[i] = word_of(world_pe(member, member.index), thread, round, i);
    }
    ASSERT_EQ(shmem_uint64_sum_exscan(member.team, buffers.dest, buffers.source, kWords), 0);
    for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(buffers.dest[i], sum[i]) << "scan";
}

// A row of collectives whose order depends on the thread, not on the PE.
void run_collectives(shmem_team_t team, const Buffers& buffers, int thread, int rounds) {
    constexpr decltype(&check_reduce) kChecks[] = {check_reduce, check_broadcast, check_collect,
                                                   check_alltoall, check_scan};
    const Member member = member_of(team);
    for (int round = 0; round < rounds; ++round) {
        kChecks[static_cast<std::size_t>(round * (thread + 1) + thread) % 5](member, buffers,
                                                                             thread, round);
        if (testing::Test::HasFatalFailure()) return;
        // Before any PE may change the values that others read.
        ASSERT_EQ(shmem_team_sync(team), 0);
    }
}

// All PEs in this order or, every other time, the other way round.
shmem_team_t copy_of_world(bool reversed) {
    const int npes = shmem_n_pes();
    shmem_team_t team = SHMEM_TEAM_INVALID;
    const int status = shmem_team_split_strided(SHMEM_TEAM_WORLD, reversed ? npes - 1 : 0,
                                                reversed ? -1 : 1, npes, nullptr, 0, &team);
    EXPECT_EQ(status, 0);
    return team;
}

TEST(Threads, UseDifferentTeamsOfTheSamePes) {
    const auto memory = make_buffers();
    for (int count : kThreadCounts) {
        shmem_team_t teams[kThreadsMax];
        for (int i = 0; i < count; ++i) teams[i] = copy_of_world(i % 2 == 1);
        run_threads(count, [&](int thread) {
            run_collectives(teams[thread], buffers_of(memory, thread), thread, scaled(24));
        });
        for (int i = 0; i < count; ++i) shmem_team_destroy(teams[i]);
    }
}

// Thread 0 has the world, thread 1 even or odd PEs, thread 2 pairs, thread 3 all but one.
TEST(Threads, UseOverlappingTeams) {
    const auto memory = make_buffers();
    const int npes = shmem_n_pes();
    shmem_team_t halves = SHMEM_TEAM_INVALID;
    shmem_team_t others = SHMEM_TEAM_INVALID;
    shmem_team_t pairs = SHMEM_TEAM_INVALID;
    shmem_team_t columns = SHMEM_TEAM_INVALID;
    shmem_team_t most = SHMEM_TEAM_INVALID;
    ASSERT_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, nullptr, 0, &pairs, nullptr, 0, &halves), 0);
    ASSERT_EQ(
        shmem_team_split_2d(SHMEM_TEAM_WORLD, npes, nullptr, 0, &others, nullptr, 0, &columns), 0);
    ASSERT_EQ(
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, std::max(1, npes - 1), nullptr, 0, &most),
        0);
    const shmem_team_t teams[] = {others, halves, pairs, most};
    run_threads(kThreadsMax, [&](int thread) {
        if (teams[thread] == SHMEM_TEAM_INVALID) return;
        run_collectives(teams[thread], buffers_of(memory, thread), thread, scaled(24));
    });
    for (shmem_team_t team : {pairs, halves, others, columns, most}) shmem_team_destroy(team);
}

// Thread 0 makes and ends teams and uses each at once; the others have teams and data of their own.
TEST(Threads, CreateTeamsWhileOthersCommunicate) {
    const auto memory = make_buffers();
    for (int count : kThreadCounts) {
        shmem_team_t parents[kThreadsMax];
        for (int i = 0; i < count; ++i) parents[i] = copy_of_world(i % 2 == 1);
        run_threads(count, [&](int thread) {
            const Buffers buffers = buffers_of(memory, thread);
            const int rounds = scaled(thread < 2 ? 12 : 24);
            if (thread >= 2) return run_collectives(parents[thread], buffers, thread, rounds);
            for (int round = 0; round < rounds; ++round) {
                shmem_team_t rows = SHMEM_TEAM_INVALID;
                shmem_team_t columns = SHMEM_TEAM_INVALID;
                shmem_team_t some = SHMEM_TEAM_INVALID;
                ASSERT_EQ(shmem_team_split_2d(parents[thread], 1 + round % shmem_n_pes(), nullptr,
                                              0, &rows, nullptr, 0, &columns),
                          0);
                ASSERT_EQ(shmem_team_split_strided(parents[thread], 0, 2, (shmem_n_pes() + 1) / 2,
                                                   nullptr, 0, &some),
                          0);
                for (shmem_team_t team : {rows, columns, some}) {
                    if (team == SHMEM_TEAM_INVALID) continue;
                    run_collectives(team, buffers, thread, 2);
                    shmem_team_destroy(team);
                }
                // Before the buffers serve another team.
                ASSERT_EQ(shmem_team_sync(parents[thread]), 0);
            }
        });
        for (int i = 0; i < count; ++i) shmem_team_destroy(parents[i]);
    }
}

// Thread 0 does what is collective on the world: barriers, syncs, allocations.
TEST(Threads, AllocateWhileOthersCommunicate) {
    const auto memory = make_buffers();
    shmem_team_t team = copy_of_world(false);
    run_threads(3, [&](int thread) {
        const Buffers buffers = buffers_of(memory, thread);
        const int rounds = scaled(24);
        if (thread == 1) return run_collectives(team, buffers, thread, rounds);
        const int right = (shmem_my_pe() + 1) % shmem_n_pes();
        for (int round = 0; round < rounds; ++round) {
            if (thread == 2) {
                const std::uint64_t value = word_of(shmem_my_pe(), thread, round, 0);
                shmem_uint64_p(buffers.dest, value, right);
                shmem_quiet();
                ASSERT_EQ(shmem_uint64_g(buffers.dest, right), value);
                continue;
            }
            auto* block = static_cast<std::uint64_t*>(shmem_malloc(1000));
            ASSERT_NE(block, nullptr);
            shmem_uint64_p(block, word_of(shmem_my_pe(), thread, round, 1), right);
            shmem_barrier_all();
            const int left = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
            ASSERT_EQ(block[0], word_of(left, thread, round, 1));
            block = static_cast<std::uint64_t*>(shmem_realloc(block, 5000));
            ASSERT_EQ(block[0], word_of(left, thread, round, 1));
            shmem_sync_all();
            shmem_free(block);
        }
    });
    shmem_team_destroy(team);
}

// Every thread makes, uses and ends contexts, on the world and on a team, with and without
// sessions.
TEST(Threads, CreateContextsInLoops) {
    SymmetricArray<std::uint64_t> slots(16 * kThreadsMax);
    shmem_team_t team = copy_of_world(true);
    const int npes = shmem_n_pes();
    for (int count : kThreadCounts) {
        run_threads(count, [&](int thread) {
            std::uint64_t* slot = slots.get() + shmem_my_pe() * kThreadsMax + thread;
            for (int round = 0; round < scaled(60); ++round) {
                constexpr long kOptions[] = {0, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED};
                const bool on_team = round % 2 == 1;
                const int pe = (round + thread) % npes;
                const int target = on_team ? npes - 1 - pe : pe;
                shmem_ctx_t ctx = SHMEM_CTX_INVALID;
                ASSERT_EQ(shmem_team_create_ctx(on_team ? team : SHMEM_TEAM_WORLD,
                                                kOptions[round % 3], &ctx),
                          0);
                shmem_team_t its_team = SHMEM_TEAM_INVALID;
                ASSERT_EQ(shmem_ctx_get_team(ctx, &its_team), 0);
                ASSERT_EQ(its_team, on_team ? team : SHMEM_TEAM_WORLD);
                const std::uint64_t value = word_of(shmem_my_pe(), thread, round, 7);
                const shmem_ctx_session_config_t config{2};
                shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config,
                                        SHMEM_CTX_SESSION_TOTAL_OPS);
                shmem_ctx_uint64_put_nbi(ctx, slot, &value, 1, target);
                if (round % 4 == 0) shmem_ctx_session_stop(ctx);
                shmem_ctx_destroy(ctx);  // Completes it.
                ASSERT_EQ(shmem_uint64_g(slot, pe), value);
            }
        });
        shmem_barrier_all();
    }
    shmem_team_destroy(team);
}

// Thread 0 uses a context and a team that it has all the time; the others create so many contexts
// that the table of handles grows, and end them in another order, with sessions and without.
TEST(Threads, UseHandlesWhileOthersComeAndGo) {
    SymmetricArray<std::uint64_t> slots(kThreadsMax);
    const int npes = shmem_n_pes();
    const int right = (shmem_my_pe() + 1) % npes;
    shmem_team_t team = copy_of_world(true);
    shmem_ctx_t mine = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_team_create_ctx(team, 0, &mine), 0);
    run_threads(kThreadsMax, [&](int thread) {
        if (thread == 0) {
            for (int round = 0; round < scaled(4000); ++round) {
                shmem_ctx_uint64_atomic_inc(mine, &slots[0], npes - 1 - right);
                ASSERT_EQ(shmem_team_n_pes(team), npes);
            }
            return shmem_ctx_quiet(mine);
        }
        std::vector<shmem_ctx_t> contexts(static_cast<std::size_t>(scaled(700)));
        for (shmem_ctx_t& ctx : contexts) {
            ASSERT_EQ(shmem_team_create_ctx(thread == 1 ? team : SHMEM_TEAM_WORLD, 0, &ctx), 0);
            if (thread == 2) shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
        }
        for (std::size_t first : {1, 0}) {
            for (std::size_t i = first; i < contexts.size(); i += 2) shmem_ctx_destroy(contexts[i]);
        }
    });
    shmem_barrier_all();
    EXPECT_EQ(slots[0], static_cast<std::uint64_t>(scaled(4000)));
    shmem_ctx_destroy(mine);
    shmem_team_destroy(team);
}

// The session of a thread issues its atomics when that thread waits, while others add to theirs.
TEST(Threads, WaitForAtomicsOfSessions) {
    const int npes = shmem_n_pes();
    const int right = (shmem_my_pe() + 1) % npes;
    SymmetricArray<std::uint64_t> turns(kThreadsMax);
    run_threads(kThreadsMax, [&](int thread) {
        constexpr long kOptions[] = {0, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED};
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        ASSERT_EQ(shmem_ctx_create(kOptions[thread % 3], &ctx), 0);
        shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
        for (int round = 1; round <= scaled(40); ++round) {
            shmem_ctx_uint64_atomic_inc(ctx, &turns[thread], right);
            shmem_uint64_wait_until(&turns[thread], SHMEM_CMP_GE, round);
        }
        shmem_ctx_destroy(ctx);
    });
    shmem_barrier_all();
}

// A hint on the default context may come from any thread.
TEST(Threads, StartSessionsOnTheDefaultContext) {
    SymmetricArray<std::uint64_t> counter(1);
    const int rounds = scaled(40);
    run_threads(kThreadsMax, [&](int) {
        for (int round = 0; round < rounds; ++round) {
            shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
            shmem_uint64_atomic_inc(counter.get(), 0);
            shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
        }
        shmem_quiet();
    });
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        EXPECT_EQ(counter[0], static_cast<std::uint64_t>(rounds * kThreadsMax * shmem_n_pes()));
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
