// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when threads of a PE that open and close epochs at the same time damage each other's.
#include <pshmemx.h>

#include "support/pattern.hpp"
#include "support/thread_test.hpp"

namespace {

using tessera::test::kThreadCounts;
using tessera::test::run_threads;
using tessera::test::scaled;

// Epochs with one PE begin in the order of the calls, so each thread has partners of its own: the
// PE as many places further as its number.
TEST(EpochsThreads, EachThreadHasItsOwnPartners) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    static long inbox[tessera::test::kThreadsMax];  // symmetric
    for (const int wanted : kThreadCounts) {
        const int threads = wanted < npes ? wanted : npes;
        shmem_barrier_all();
        run_threads(threads, [=](int thread) {
            const int target = (me + thread) % npes;
            const int origin = (me + npes - thread) % npes;
            for (long round = 1; round <= scaled(400); ++round) {
                shmemx_epoch_t exposure;
                shmemx_epoch_t access;
                shmemx_epoch_post(&origin, 1, 0, &exposure);
                shmemx_epoch_start(&target, 1, round % 2 == 0 ? SHMEMX_EPOCH_DEFERRED : 0, &access);
                const long value = round * 100 + me;
                shmemx_epoch_put(access, &inbox[thread], &value, sizeof value, target);
                shmemx_epoch_complete(&access);
                shmemx_epoch_wait(&exposure);
                ASSERT_EQ(inbox[thread], round * 100 + origin);
            }
        });
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
