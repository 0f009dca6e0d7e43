// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE that is in no call of the library does not serve PEs of other nodes: they would
// wait for ever, since it goes on only when they are done.
#include <shmem.h>
#include <time.h>

#include <atomic>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kWords = 100'000;  // more than an eager message

struct Target {
    long words[kWords];
    long counter;
    std::uint64_t signal;
    long others_done;
};
Target target;  // memory of the last PE

// The operations of the other PEs on the target, all complete at the end.
void work_on(int pe) {
    const auto me = static_cast<std::size_t>(shmem_my_pe());
    const std::size_t count = kWords / static_cast<std::size_t>(pe);  // words for this PE alone
    const std::size_t first = me * count;
    long* words = target.words + first;
    std::vector<long> seen(count);
    for (int round = 0; round < 5; ++round) {
        shmem_long_get(seen.data(), words, count, pe);
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(seen[i], static_cast<long>(first + i)) << "word " << first + i;
        shmem_long_put(words, seen.data(), count, pe);
        shmem_long_atomic_fetch_add(&target.counter, 1, pe);
        shmem_long_atomic_add(&target.counter, 1, pe);
        shmem_fence();
        shmem_long_iput(words, seen.data(), 2, 2, 100, pe);
        shmem_fence();
        shmem_long_put_signal(words, seen.data(), count, &target.signal, 1, SHMEM_SIGNAL_ADD, pe);
        shmem_quiet();
    }
    shmem_long_atomic_inc(&target.others_done, pe);
    shmem_quiet();
}

// `idle` is called over and over by the target instead of the library.
template <class Idle>
void check(Idle idle) {
    const int last = shmem_n_pes() - 1;
    for (std::size_t i = 0; i < kWords; ++i) target.words[i] = static_cast<long>(i);
    target.counter = 0;
    target.signal = 0;
    target.others_done = 0;
    shmem_barrier_all();
    if (shmem_my_pe() != last) {
        work_on(last);
    } else {
        // Not even wait_until: a plain look at memory.
        while (std::atomic_ref(target.others_done).load() != last) idle();
        EXPECT_EQ(target.counter, 10L * last);
        EXPECT_EQ(target.signal, 5UL * static_cast<unsigned>(last));
    }
    shmem_barrier_all();
}

TEST(Progress, WhileTheTargetComputes) {
    volatile unsigned work = 0;
    check([&] { work = work + 1; });
}

TEST(Progress, WhileTheTargetSleepsInTheKernel) {
    check([] {
        const timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
        ::nanosleep(&pause, nullptr);
    });
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
