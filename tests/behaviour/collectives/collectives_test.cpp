// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when shmem_barrier or shmem_sync over an active set lets a member go too early, mixes up
// two sets, leaves something behind in pSync, or cannot be called again at once.
#include <pshmem.h>

#include <string>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

struct ActiveSet {
    int start;
    int log_stride;
    int size;

    int stride() const { return 1 << log_stride; }
    int member(int i) const { return start + i * stride(); }
    bool contains(int pe) const {
        return pe >= start && (pe - start) % stride() == 0 && (pe - start) / stride() < size;
    }
};

// All sets of at least one PE with strides up to 4 and every start, as long as they can be.
std::vector<ActiveSet> all_sets() {
    std::vector<ActiveSet> sets;
    const int npes = shmem_n_pes();
    const int step = npes > 8 ? npes / 4 : 1;
    for (int log_stride = 0; log_stride <= 2; ++log_stride) {
        for (int start = 0; start < npes; start += step) {
            int longest = (npes - 1 - start) / (1 << log_stride) + 1;
            sets.push_back({start, log_stride, longest});
            if (longest > 2) sets.push_back({start, log_stride, longest / 2});
        }
    }
    return sets;
}

using Function = void (*)(int start, int log_stride, int size, long* psync);

struct Routine {
    const char* name;
    Function run;
    bool completes;  // a barrier also completes puts
};
const Routine kRoutines[] = {{"shmem_barrier", shmem_barrier, true},
                             {"shmem_sync", shmem_sync, false},
                             {"pshmem_barrier", pshmem_barrier, true},
                             {"pshmem_sync", pshmem_sync, false}};

constexpr std::size_t kBoardWords = 128;

// As in barrier_test.cpp: the round of each PE, in two sets used in turn.
// REQUIRES: `round` stays as it is until the puts are complete.
void announce(long* board, const ActiveSet& set, const long& round) {
    for (int i = 0; i < set.size; ++i)
        shmem_long_put_nbi(&board[round % 2 * 64 + shmem_my_pe()], &round, 1, set.member(i));
}

void check_board(const long* board, const ActiveSet& set, long round, const char* name) {
    for (int i = 0; i < set.size; ++i) {
        ASSERT_EQ(board[round % 2 * 64 + set.member(i)], round)
            << name << " of " << set.start << " " << set.log_stride << " " << set.size
            << " did not wait for PE " << set.member(i);
    }
}

// A pSync and a board for each set. Members of several sets come from one straight into the next.
void check_sets(const Routine& routine, const Region& region) {
    const std::vector<ActiveSet> sets = all_sets();
    const std::size_t psync_bytes = SHMEM_BARRIER_SYNC_SIZE * sizeof(long);
    ASSERT_LT(sets.size() * (psync_bytes + kBoardWords * sizeof(long)),
              tessera::test::kRegionBytes);
    auto* psyncs = reinterpret_cast<long*>(region.data);
    auto* boards = psyncs + sets.size() * SHMEM_BARRIER_SYNC_SIZE;
    for (std::size_t i = 0; i < sets.size() * SHMEM_BARRIER_SYNC_SIZE; ++i)
        psyncs[i] = SHMEM_SYNC_VALUE;
    for (std::size_t i = 0; i < sets.size() * kBoardWords; ++i) boards[i] = 0;
    shmem_barrier_all();
    long round = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const ActiveSet& set = sets[i];
        long* board = boards + i * kBoardWords;
        for (int repetition = 0; repetition < scaled(20); ++repetition) {
            ++round;
            if (!set.contains(shmem_my_pe())) continue;
            announce(board, set, round);
            if (!routine.completes) shmem_quiet();
            routine.run(set.start, set.log_stride, set.size, psyncs + i * SHMEM_BARRIER_SYNC_SIZE);
            check_board(board, set, round, routine.name);
        }
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < sets.size() * SHMEM_BARRIER_SYNC_SIZE; ++i)
        ASSERT_EQ(psyncs[i], SHMEM_SYNC_VALUE) << routine.name << " left something in pSync";
    shmem_barrier_all();
}

TEST(Collectives, ActiveSetsOneAfterTheOther) {
    for (const Routine& routine : kRoutines) {
        for (const Region& region : regions()) check_sets(routine, region);
    }
}

// The same pSync at once again, barrier and sync in turn: the specification allows it.
TEST(Collectives, SamePsyncAtOnceAgain) {
    static long psync[SHMEM_BARRIER_SYNC_SIZE];  // zero is SHMEM_SYNC_VALUE here
    static long board[kBoardWords];
    static_assert(SHMEM_SYNC_VALUE == 0);
    const ActiveSet world{0, 0, shmem_n_pes()};
    shmem_barrier_all();
    for (long round = 1; round <= scaled(1000); ++round) {
        announce(board, world, round);
        shmem_quiet();
        kRoutines[round % 4].run(0, 0, shmem_n_pes(), psync);
        check_board(board, world, round, kRoutines[round % 4].name);
    }
    shmem_barrier_all();
}

// Two halves that never meet may be at different places.
TEST(Collectives, SetsAreIndependent) {
    static long psyncs[2][SHMEM_BARRIER_SYNC_SIZE];
    const int npes = shmem_n_pes();
    if (npes < 2) GTEST_SKIP() << "One PE has no other half.";
    static long counts[2];
    const int half = shmem_my_pe() % 2;
    const int size = half == 0 ? (npes + 1) / 2 : npes / 2;
    // The even PEs wait in the middle for the odd ones to finish all of their barriers.
    for (int i = 0; i < scaled(500); ++i) {
        shmem_barrier(half, 1, size, psyncs[half]);
        if (half == 0 && i == 5) shmem_long_wait_until(&counts[1], SHMEM_CMP_EQ, npes / 2);
    }
    if (half == 1) {
        for (int pe = 0; pe < npes; ++pe) shmem_long_atomic_inc(&counts[1], pe);
    }
    shmem_barrier_all();
    EXPECT_EQ(counts[1], npes / 2);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
