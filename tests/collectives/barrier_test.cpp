// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a barrier or sync lets a PE go before all have come, or does not show what they wrote
// before it. CMakeLists.txt runs it with each algorithm.
#include <pshmem.h>

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
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            shmem_long_put_nbi(&set(round)[shmem_my_pe()], &round, 1, pe);
        }
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
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            ASSERT_EQ(set(round)[pe], round) << name << ": PE " << pe << " has not come";
        }
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

// Nothing between them, so that the fastest PE runs into the slowest one's previous barrier.
TEST(Barrier, BackToBack) {
    for (const Routine& routine : kRoutines) {
        auto* count = reinterpret_cast<int*>(regions()[0].data);
        *count = 0;
        shmem_barrier_all();
        const int rounds = scaled(10000) / (shmem_n_pes() > 2 ? 4 : 1);
        for (int round = 1; round <= rounds; ++round) {
            if (round % 10 == shmem_my_pe() % 10) shmem_int_atomic_inc(count, 0);
            routine.run();
            if (round % 10 == 0) {  // All have counted once in the last ten rounds.
                ASSERT_GE(shmem_int_atomic_fetch(count, 0), round / 10 * shmem_n_pes());
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

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
