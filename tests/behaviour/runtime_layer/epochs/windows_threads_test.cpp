// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when threads of a PE that use windows of their own at the same time damage each other's:
// epochs with the same partner, barriers, and windows that come and go.
#include <pshmemx.h>

#include <array>

#include "support/pattern.hpp"
#include "support/thread_test.hpp"

namespace {

using tessera::test::kThreadCounts;
using tessera::test::kThreadsMax;
using tessera::test::run_threads;
using tessera::test::scaled;

using Windows = std::array<shmemx_window_t, kThreadsMax>;

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }
int right() { return (me() + 1) % npes(); }
int left() { return (me() + npes() - 1) % npes(); }

// Symmetric. Threads have neighbouring words.
long inboxes[kThreadsMax];
long shown[kThreadsMax];

// All threads of a PE have the same partners: without windows, their epochs would be one sequence.
TEST(WindowsThreads, EpochsOfEachThread) {
    Windows windows{};
    for (int i = 0; i < kThreadsMax; ++i) {
        ASSERT_EQ(shmemx_window_create(SHMEM_TEAM_WORLD, &inboxes[i], sizeof(long), &windows[i]),
                  0);
    }
    for (const int threads : kThreadCounts) {
        run_threads(threads, [&](int thread) {
            const int target = right();
            const int origin = left();
            for (long round = 1; round <= scaled(200); ++round) {
                shmemx_epoch_t exposure;
                shmemx_epoch_t access;
                shmemx_window_post(windows[thread], &origin, 1, 0, &exposure);
                shmemx_window_start(windows[thread], &target, 1,
                                    round % 2 == 0 ? SHMEMX_EPOCH_DEFERRED : 0, &access);
                const long value = round * 1000 + me() * 10 + thread;
                shmemx_epoch_put(access, &inboxes[thread], &value, sizeof value, target);
                shmemx_epoch_complete(&access);
                shmemx_epoch_wait(&exposure);
                ASSERT_EQ(inboxes[thread], round * 1000 + origin * 10 + thread);
            }
        });
        shmem_barrier_all();
    }
    for (shmemx_window_t& window : windows) shmemx_window_destroy(&window);
}

// Each thread has a team, because collectives of one team take one thread of each PE.
TEST(WindowsThreads, WindowsComeAndGo) {
    shmem_team_t teams[kThreadsMax];
    for (shmem_team_t& team : teams)
        ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes(), nullptr, 0, &team), 0);
    for (const int threads : kThreadCounts) {
        run_threads(threads, [&](int thread) {
            for (long round = 1; round <= scaled(20); ++round) {
                shmemx_window_t window;
                ASSERT_EQ(
                    shmemx_window_create(teams[thread], &shown[thread], sizeof(long), &window), 0);
                const long value = round * 1000 + me() * 10 + thread;
                shown[thread] = value;
                shmemx_window_barrier(window, SHMEMX_EPOCH_NOPUT);
                long seen = 0;
                shmemx_window_get(window, &seen, &shown[thread], sizeof seen, right());
                ASSERT_EQ(seen, round * 1000 + right() * 10 + thread);
                shmemx_window_barrier(window, SHMEMX_EPOCH_NOSTORE | SHMEMX_EPOCH_NOPUT);
                shmemx_window_put(window, &shown[thread], &value, sizeof value, right());
                shmemx_window_barrier(window, SHMEMX_EPOCH_NOSTORE);
                ASSERT_EQ(shown[thread], round * 1000 + left() * 10 + thread);
                shmemx_window_destroy(&window);
            }
        });
        shmem_barrier_all();
    }
    for (shmem_team_t& team : teams) shmem_team_destroy(team);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
