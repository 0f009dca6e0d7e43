// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a barrier or sync lets a PE go before all have come, or does not show what they wrote
// before it. CMakeLists.txt runs it with each algorithm.
#include <pshmem.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

// The round that each PE is in, as its own last put or store says. Two sets, because a PE can be
// one round ahead of one that still reads.
struct Board {
    explicit Board(const Region& region) : entries(reinterpret_cast<long*>(region.data)) {
        std::memset(region.data, 0, 2 * 64 * sizeof(long));
        shmem_barrier_all();
    }
    long* set(long round) const { return entries + round % 2 * 64; }

    void announce_by_put(long round) const {
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            shmem_long_put_nbi(&set(round)[shmem_my_pe()], &round, 1, pe);
    }
    void announce_by_store(long round) const {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            long* entry = &set(round)[shmem_my_pe()];
            auto* mapped = static_cast<long*>(shmem_ptr(entry, pe));
            if (mapped != nullptr) {
                *mapped = round;
            } else {
                shmem_long_p(entry, round, pe);
                shmem_quiet();
            }
        }
    }
    void check(long round, const char* name) const {
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            ASSERT_EQ(set(round)[pe], round) << name << ": PE " << pe << " has not come";
    }

    long* entries;
};

// Something that takes a while, and longer on other PEs in other rounds.
void work_for_a_while(std::minstd_rand& random) {
    volatile unsigned sink = 0;
    if (random() % 4 == 0) {
        for (auto i = static_cast<unsigned>(random() % 20000); i > 0; --i) sink = sink + i;
    }
}

struct Routine {
    const char* name;
    void (*run)();
    bool completes;  // a barrier also completes puts
};
const Routine kRoutines[] = {{"shmem_barrier_all", shmem_barrier_all, true},
                             {"pshmem_barrier_all", pshmem_barrier_all, true},
                             {"shmem_sync_all", shmem_sync_all, false},
                             {"pshmem_sync_all", pshmem_sync_all, false}};

void check_skewed(const Routine& routine, const Region& region) {
    Board board(region);
    std::minstd_rand random(static_cast<unsigned>(shmem_my_pe()) + 1);
    for (long round = 1; round <= scaled(500); ++round) {
        if (routine.completes && round % 2 == 0) {
            board.announce_by_put(round);
        } else {
            board.announce_by_store(round);
        }
        work_for_a_while(random);
        routine.run();
        board.check(round, routine.name);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << region.kind;
    }
    shmem_barrier_all();
}

TEST(Barrier, WaitsForLatecomersAndShowsTheirWrites) {
    for (const Routine& routine : kRoutines) {
        for (const Region& region : regions()) check_skewed(routine, region);
    }
}

// Nothing between them, so that the fastest PE runs into the slowest one's previous barrier. A sync
// does not complete atomics, but one that fetches is complete by itself.
TEST(Barrier, BackToBack) {
    for (const Routine& routine : kRoutines) {
        auto* count = reinterpret_cast<int*>(regions()[0].data);
        *count = 0;
        shmem_barrier_all();
        const int rounds = scaled(10000) / (shmem_n_pes() > 2 ? 4 : 1);
        for (int round = 1; round <= rounds; ++round) {
            if (round % 10 == shmem_my_pe() % 10) (void)shmem_int_atomic_fetch_inc(count, 0);
            routine.run();
            if (round % 10 == 0) {  // All have counted once in the last ten rounds.
                ASSERT_GE(shmem_int_atomic_fetch(count, 0), round / 10 * shmem_n_pes())
                    << routine.name;
            }
        }
        shmem_barrier_all();
        shmem_barrier_all();
    }
}

// Alternating, in the same order everywhere, they do not disturb each other.
TEST(Barrier, BarrierAndSyncMixed) {
    Board board(regions()[0]);
    for (long round = 1; round <= scaled(1000); ++round) {
        board.announce_by_store(round);
        kRoutines[round * round % 4].run();
        board.check(round, "mixed");
    }
    shmem_barrier_all();
}

// start, start + stride, ... of the world; a team of them, or INVALID on other PEs. Collective.
struct Members {
    int start = 0;
    int stride = 1;
    int size = 1;

    shmem_team_t split() const {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &team);
        return team;
    }
};

// A sync of the team by its members alone; each must then see that all of them have come. Those who
// have left it may be in a later round.
void check_team_sync(const Board& board, shmem_team_t team, const Members& members, long round) {
    long* entries = board.set(0);
    for (int i = 0; i < members.size; ++i)
        shmem_long_p(&entries[shmem_my_pe()], round, members.start + i * members.stride);
    shmem_quiet();
    shmem_team_sync(team);
    for (int i = 0; i < members.size; ++i) {
        const int pe = members.start + i * members.stride;
        const long seen = __atomic_load_n(&entries[pe], __ATOMIC_RELAXED);
        ASSERT_GE(seen, round) << "PE " << pe << " of a team from PE " << members.start
                               << " on, stride " << members.stride << ", " << members.size
                               << " PEs, has not come";
    }
}

// Three teams, of every third PE, each at its own pace; and all together now and then.
TEST(Barrier, TeamsAtTheSameTime) {
    Board board(regions()[0]);
    const int npes = shmem_n_pes();
    Members members;
    shmem_team_t mine = SHMEM_TEAM_INVALID;
    for (int start = 0; start < std::min(npes, 3); ++start) {
        const Members third{.start = start, .stride = 3, .size = (npes - start + 2) / 3};
        const shmem_team_t team = third.split();
        if (team == SHMEM_TEAM_INVALID) continue;
        members = third;
        mine = team;
    }
    std::minstd_rand random(
        static_cast<unsigned>(tessera::test::shared_seed() + static_cast<unsigned>(shmem_my_pe())));
    long round = 0;
    for (int i = 1; i <= scaled(300); ++i) {
        work_for_a_while(random);
        for (int k = 0; k < 1 + shmem_my_pe() % 3; ++k) {
            check_team_sync(board, mine, members, ++round);
            ASSERT_FALSE(HasFatalFailure());
        }
        if (i % 7 == 0) shmem_sync_all();
    }
    shmem_team_destroy(mine);
    shmem_barrier_all();
}

struct RandomTeam {
    Members members;
    shmem_team_t team = SHMEM_TEAM_INVALID;

    void replace(std::mt19937_64& script) {
        shmem_team_destroy(team);
        auto below = [&](int limit) {
            return static_cast<int>(script() % static_cast<unsigned>(limit));
        };
        const int first = below(shmem_n_pes());
        const int stride = 1 + below(3);
        const int size = 1 + below((shmem_n_pes() - 1 - first) / stride + 1);
        const bool is_descending = below(2) == 1;
        members = {.start = is_descending ? first + (size - 1) * stride : first,
                   .stride = is_descending ? -stride : stride,
                   .size = size};
        team = members.split();
    }
};

// Teams come and go: each finds flags that another one has used, with other members in other
// places, and not the same flags on all PEs.
TEST(Barrier, TeamsTakeOverFlags) {
    Board board(regions()[0]);
    std::mt19937_64 script(tessera::test::shared_seed());
    std::minstd_rand random(static_cast<unsigned>(shmem_my_pe()) + 1);
    RandomTeam teams[3];
    long round = 0;
    for (int i = 0; i < scaled(200); ++i) {
        teams[script() % std::size(teams)].replace(script);
        for (const RandomTeam& some : teams) {
            const long syncs = 1 + static_cast<long>(script() % 3);
            for (long k = 1; some.team != SHMEM_TEAM_INVALID && k <= syncs; ++k) {
                work_for_a_while(random);
                check_team_sync(board, some.team, some.members, round + k);
                ASSERT_FALSE(HasFatalFailure());
            }
            round += syncs;
        }
    }
    for (const RandomTeam& some : teams) shmem_team_destroy(some.team);
    shmem_barrier_all();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
