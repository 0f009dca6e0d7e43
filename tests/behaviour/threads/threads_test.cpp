// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when threads of one PE that call the library at the same time disturb each other, or when
// a blocking call of one of them holds up the others (OpenSHMEM 1.6, 9.2, SHMEM_THREAD_MULTIPLE).
#include <shmem.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

constexpr int kThreads = 4;

// Runs `work(thread)` in kThreads threads; each returns "" or what went wrong.
template <class Work>
void run_threads(Work work) {
    std::vector<std::string> errors(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] { errors[static_cast<std::size_t>(i)] = work(i); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& error : errors) ASSERT_EQ(error, "");
}

TEST(Threads, LevelIsProvided) {
    int provided = -1;
    shmem_query_thread(&provided);
    EXPECT_EQ(provided, SHMEM_THREAD_MULTIPLE);
    run_threads([](int) {
        int level = -1;
        int initialized = -1;
        shmem_query_thread(&level);
        shmem_query_initialized(&initialized);
        return std::string(level == SHMEM_THREAD_MULTIPLE && initialized == 1 ? "" : "query");
    });
}

// Each thread has a window on every PE that no other thread writes.
std::string move_data(unsigned char* window, std::size_t bytes, int thread) {
    const int me = shmem_my_pe() * kThreads + thread;
    std::minstd_rand random(static_cast<unsigned>(me) + 1);
    Bytes source(bytes);
    Bytes got(bytes);
    for (int i = 0; i < scaled(400); ++i) {
        const auto round = static_cast<std::size_t>(i);
        const int pe = static_cast<int>(random() % static_cast<unsigned>(shmem_n_pes()));
        const std::size_t count = 1 + random() % bytes;
        fill(source.data(), count, me, pe, round);
        (i % 2 == 0 ? shmem_putmem : shmem_putmem_nbi)(window, source.data(), count, pe);
        shmem_quiet();
        shmem_getmem_nbi(got.data(), window, count, pe);
        shmem_quiet();
        std::string error = difference(got.data(), source.data(), count);
        if (!error.empty()) return error;
    }
    return "";
}

TEST(Threads, TransfersSideBySide) {
    constexpr std::size_t kWindow = 2048;
    for (const Region& region : regions()) {
        run_threads([&](int thread) {
            auto slot = static_cast<std::size_t>(shmem_my_pe() * kThreads + thread);
            return move_data(region.data + slot * kWindow, kWindow, thread);
        });
        shmem_barrier_all();
    }
}

TEST(Threads, AtomicsOfAllThreadsCount) {
    for (const Region& region : regions()) {
        auto* words = reinterpret_cast<unsigned long*>(region.data);
        words[0] = words[1] = 0;
        shmem_barrier_all();
        const int steps = scaled(5000);
        run_threads([&](int thread) {
            for (int i = 0; i < steps; ++i) {
                const int pe = (i + thread) % shmem_n_pes();
                shmem_ulong_atomic_add(&words[0], 3, pe);
                const unsigned long bit = 1UL << (shmem_my_pe() % 16 * kThreads + thread);
                if (shmem_n_pes() > 16) continue;
                if ((shmem_ulong_atomic_fetch_xor(&words[1], bit, pe) & bit) != 0) return "bit set";
                if ((shmem_ulong_atomic_fetch_xor(&words[1], bit, pe) & bit) == 0)
                    return "bit lost";
            }
            return "";
        });
        shmem_barrier_all();
        unsigned long sum = 0;
        for (int pe = 0; pe < shmem_n_pes(); ++pe) sum += shmem_ulong_atomic_fetch(&words[0], pe);
        EXPECT_EQ(sum, 3UL * kThreads * static_cast<unsigned>(steps * shmem_n_pes()));
        EXPECT_EQ(words[1], 0U);
        shmem_barrier_all();
    }
}

// Half of the threads wait for what the other half, here and on the next PE, will do.
TEST(Threads, WaitsDoNotHoldUpOthers) {
    for (const Region& region : regions()) {
        auto* flags = reinterpret_cast<std::uint64_t*>(region.data);
        std::memset(flags, 0, 4096);
        shmem_barrier_all();
        const auto rounds = static_cast<std::uint64_t>(scaled(300));
        run_threads([&](int thread) {
            const int right = (shmem_my_pe() + 1) % shmem_n_pes();
            // Threads 0 and 1 play with each other on this PE, 2 and 3 over the ring.
            const int partner_pe = thread < 2 ? shmem_my_pe() : right;
            std::uint64_t* mine = &flags[16 * thread];
            std::uint64_t* theirs = &flags[16 * (thread ^ 1)];
            for (std::uint64_t round = 1; round <= rounds; ++round) {
                if (thread % 2 == 0) {
                    shmem_uint64_atomic_set(theirs, round, partner_pe);
                    shmem_fence();  // Between nodes the next one may overtake this one.
                    shmem_uint64_wait_until(mine, SHMEM_CMP_GE, round);
                } else {
                    if (shmem_signal_wait_until(mine, SHMEM_CMP_GE, round) < round) return "early";
                    shmem_signal_add(theirs, 1, partner_pe);
                }
            }
            return "";
        });
        shmem_barrier_all();
    }
}

TEST(Threads, AnyIsSafeInEveryThread) {
    auto* words = reinterpret_cast<int*>(regions()[0].data);
    for (int i = 0; i < 64; ++i) words[i] = 1;
    run_threads([&](int thread) {
        int seen[8] = {};
        for (int i = 0; i < 4000; ++i) {
            std::size_t at = shmem_int_test_any(words + 8 * thread, 8, nullptr, SHMEM_CMP_EQ, 1);
            if (at >= 8) return "test_any";
            ++seen[at];
        }
        for (int count : seen) {
            if (count == 0) return "an element starves";
        }
        return "";
    });
    shmem_barrier_all();
}

// One thread is in a barrier while the others work on; one thread of the PE at a time uses the
// lock.
TEST(Threads, BarriersAndLocksBesideTransfers) {
    static long lock;
    static long count;
    count = 0;
    shmem_barrier_all();
    std::mutex lock_of_this_pe;
    std::atomic<bool> is_done{false};
    const int rounds = scaled(200);
    run_threads([&](int thread) {
        if (thread == 0) {
            for (int i = 0; i < rounds; ++i) shmem_barrier_all();
            is_done = true;
            return std::string();
        }
        if (thread == 3) {
            auto slot = static_cast<std::size_t>(shmem_my_pe());
            std::string error;
            while (!is_done && error.empty())
                error = move_data(regions()[0].data + slot * 2048, 2048, thread);
            return error;
        }
        for (int i = 0; i < rounds; ++i) {
            std::lock_guard guard(lock_of_this_pe);
            shmem_set_lock(&lock);
            shmem_long_p(&count, shmem_long_g(&count, 0) + 1, 0);
            shmem_clear_lock(&lock);
        }
        return std::string();
    });
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_g(&count, 0), 2L * rounds * shmem_n_pes());
    shmem_barrier_all();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
