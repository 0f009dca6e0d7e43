// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when threads that register memory in teams of their own get names in common, or when their
// operations on segments reach other bytes or get lost.
#include <memory>

#include "part.hpp"
#include "support/thread_test.hpp"

namespace {

using tessera::test::kThreadsMax;
using tessera::test::Part;
using tessera::test::run_threads;
using tessera::test::word_of;

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }

TEST(SegmentThreads, RegisterAndUse) {
    constexpr int kRounds = 25;
    constexpr std::size_t kWords = 600;
    shmem_team_t teams[kThreadsMax];
    for (auto& team : teams)
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes(), nullptr, 0, &team), 0);
    const Part common(SHMEM_TEAM_WORLD, 64);
    run_threads(kThreadsMax, [&](int thread) {
        const shmem_team_t team = teams[thread];
        std::vector<std::unique_ptr<Part>> live;
        for (int round = 0; round < kRounds; ++round) {
            live.push_back(std::make_unique<Part>(team, (kWords + 1) * sizeof(long), 8));
            Part& part = *live.back();
            ASSERT_EQ(part.result(), 0);
            for (int i = 0; i < npes(); ++i) {
                const int pe = (me() + i) % npes();
                const std::uint64_t word = word_of(me(), thread, round, 0);
                shmem_uint64_p(part.name<std::uint64_t>(pe, static_cast<std::size_t>(me())), word,
                               pe);
                shmem_uint64_atomic_add(part.name<std::uint64_t>(pe, kWords), 1, pe);
                shmem_uint64_atomic_fetch_add(common.name<std::uint64_t>(pe), 1, pe);
            }
            shmem_uint64_wait_until(part.name<std::uint64_t>(me(), kWords), SHMEM_CMP_GE,
                                    static_cast<std::uint64_t>(npes()));
            shmem_quiet();
            shmem_team_sync(team);
            for (int pe = 0; pe < npes(); ++pe)
                ASSERT_EQ(part.mine<std::uint64_t>()[pe], word_of(pe, thread, round, 0));
            if (live.size() > 4) live.erase(live.begin() + round % 4);
        }
        live.clear();
    });
    shmem_barrier_all();
    EXPECT_EQ(common.mine<std::uint64_t>()[0],
              static_cast<std::uint64_t>(kRounds * kThreadsMax * npes()));
    shmem_barrier_all();
    for (auto& team : teams) shmem_team_destroy(team);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
