// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a thread does not complete its copies by helpers (SHMEM_PROGRESS=helpers), because
// another one finds at the same time that nothing is under way. The program is right without them.
#include <sched.h>
#include <shmem.h>

#include <atomic>
#include <cstring>

#include "support/pattern.hpp"
#include "support/thread_test.hpp"

namespace {

using tessera::test::run_threads;
using tessera::test::scaled;
using tessera::test::SymmetricArray;

constexpr int kThreads = 4;
constexpr std::size_t kBytes = 8192;

// Threads that share the core of their PE would hardly ever meet.
void leave_core_of_pe() {
    cpu_set_t all;
    std::memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

// Threads with even numbers put, each with a context and to a place of its own; the others have
// nothing under way and call quiet all the time.
TEST(HelpersThreads, EachCompletesItsOwnCopies) {
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    const SymmetricArray<char> source(kThreads * kBytes);
    const SymmetricArray<char> dest(kThreads * kBytes);
    std::atomic<int> putting{kThreads / 2};
    run_threads(kThreads, [&](int thread) {
        leave_core_of_pe();
        if (thread % 2 != 0) {
            while (putting.load(std::memory_order_relaxed) != 0) shmem_quiet();
            return;
        }
        shmem_ctx_t context = SHMEM_CTX_INVALID;
        EXPECT_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &context), 0);
        char* const from = source.get() + thread * kBytes;
        char* const to = dest.get() + thread * kBytes;
        int late = 0;
        for (int round = 0; round < scaled(60000); ++round) {
            const char value = static_cast<char>(round % 100 + 1);
            std::memset(from, value, kBytes);
            shmem_ctx_putmem_nbi(context, to, from, kBytes, next);
            shmem_ctx_quiet(context);
            char last = 0;
            shmem_ctx_getmem(context, &last, to + kBytes - 1, 1, next);
            if (last != value) ++late;
        }
        EXPECT_EQ(late, 0) << "puts that quiet did not complete, thread " << thread;
        shmem_ctx_destroy(context);
        putting.fetch_sub(1, std::memory_order_relaxed);
    });
    shmem_barrier_all();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
