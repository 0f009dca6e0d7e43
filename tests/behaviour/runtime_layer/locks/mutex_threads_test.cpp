// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when threads of a PE that contend for a lock are inside together, when a thread takes the
// lock of another one for its own, or when the table of held locks suffers from threads.
#include "support/thread_test.hpp"

#include <pshmemx.h>

#include "support/pattern.hpp"

namespace {

using tessera::test::kThreadCounts;
using tessera::test::run_threads;
using tessera::test::scaled;

shmemx_mutex_t mutexes[3];  // symmetric
shmemx_rwlock_t rwlock;     // symmetric
long counters[3];           // symmetric; under the mutexes, on the PE of the instance
long pair[2];               // symmetric; under the rwlock, on PE 0

TEST(MutexThreads, ThreadsOfAllPesExcludeEachOther) {
    for (const int threads : kThreadCounts) {
        for (long& counter : counters) counter = 0;
        shmem_barrier_all();
        const int visits = scaled(200);
        run_threads(threads, [=](int thread) {
            for (int i = 0; i < visits; ++i) {
                const int which = (i + thread) % 3;
                const int pe = which % shmem_n_pes();
                if (i % 5 == 0) {
                    while (shmemx_mutex_trylock(&mutexes[which], pe) == 0) {
                    }
                } else {
                    shmemx_mutex_lock(&mutexes[which], pe);
                }
                ASSERT_EQ(shmemx_mutex_owner(&mutexes[which], pe), shmem_my_pe());
                shmem_long_p(&counters[which], shmem_long_g(&counters[which], pe) + 1, pe);
                shmemx_mutex_unlock(&mutexes[which], pe);
            }
        });
        shmem_barrier_all();
        long sum = 0;
        for (int which = 0; which < 3; ++which)
            sum += shmem_long_g(&counters[which], which % shmem_n_pes());
        ASSERT_EQ(sum, static_cast<long>(visits) * threads * shmem_n_pes());
        shmem_barrier_all();
    }
}

TEST(MutexThreads, ReadersAndWriters) {
    for (const int threads : kThreadCounts) {
        pair[0] = pair[1] = 0;
        shmem_barrier_all();
        run_threads(threads, [=](int thread) {
            for (int i = 0; i < scaled(200); ++i) {
                const bool writes = (i + thread) % 3 == 0;
                (writes ? shmemx_rwlock_write_lock : shmemx_rwlock_read_lock)(&rwlock, 0);
                const long seen = shmem_long_g(&pair[0], 0);
                ASSERT_EQ(shmem_long_g(&pair[1], 0), seen);
                if (writes) {
                    shmem_long_p(&pair[0], seen + 1, 0);
                    shmem_long_p(&pair[1], seen + 1, 0);
                }
                (writes ? shmemx_rwlock_write_unlock : shmemx_rwlock_read_unlock)(&rwlock, 0);
            }
        });
        shmem_barrier_all();  // Before that, other PEs use the pair.
    }
}

// Each thread holds many locks of its own.
TEST(MutexThreads, ManyLocksOfManyThreads) {
    constexpr std::size_t kEach = 300;
    const tessera::test::SymmetricArray<shmemx_mutex_t> own(kEach * tessera::test::kThreadsMax);
    run_threads(tessera::test::kThreadsMax, [&](int thread) {
        shmemx_mutex_t* mine = &own[static_cast<std::size_t>(thread) * kEach];
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < kEach; ++i) shmemx_mutex_lock(&mine[i], shmem_my_pe());
            for (std::size_t i = 0; i < kEach; ++i) shmemx_mutex_unlock(&mine[i], shmem_my_pe());
        }
    });
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
