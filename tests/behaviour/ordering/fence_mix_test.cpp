// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when operations to a PE of another node that travel in different ways (words and atomics
// as messages, longer puts as writes of the provider) pass each other at a fence, or when a get
// does not see what was put before it. Random mixes, by one thread and by several on one context;
// the seed is printed.
#include <sched.h>
#include <shmem.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kWords = 3000;
constexpr int kThreads = 2;
constexpr int kIterations = 400;

// The words that a thread of the left neighbour writes here: the number of its step to `first` and
// then, behind a fence, to `second`, each to the first word and to none or more behind it.
struct Pair {
    long first[kWords];
    long second[kWords];
};
Pair pairs[kThreads];
long steps[kIterations + 1];  // sources that outlive the operations

long look(long* word) { return std::atomic_ref(*word).load(std::memory_order_acquire); }

enum Move : unsigned { kP, kPutNbi, kPut8, kPut300, kPut1000, kIput, kSet, kSwap, kMoves };

void move(shmem_ctx_t ctx, Move how, long* dest, long step, int pe) {
    std::vector<long> values(1000, step);
    switch (how) {
        case kP: return shmem_ctx_long_p(ctx, dest, step, pe);
        case kPutNbi: return shmem_ctx_long_put_nbi(ctx, dest, &steps[step], 1, pe);
        case kPut8: return shmem_ctx_long_put(ctx, dest, values.data(), 8, pe);
        case kPut300: return shmem_ctx_long_put(ctx, dest, values.data(), 300, pe);
        case kPut1000: return shmem_ctx_long_put(ctx, dest, values.data(), 1000, pe);
        case kIput: return shmem_ctx_long_iput(ctx, dest, values.data(), 2, 1, 3, pe);
        case kSet: return shmem_ctx_long_atomic_set(ctx, dest, step, pe);
        default: static_cast<void>(shmem_ctx_long_atomic_swap(ctx, dest, step, pe));
    }
}

void send(Pair& pair, bool is_private, unsigned long seed, int pe) {
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    if (is_private) {
        ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
    }
    std::mt19937_64 random(seed);
    auto one_of = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
    for (long step = 1; step <= kIterations; ++step) {
        if (one_of(8) == 0) {
            const std::vector<long> values(64, step);
            shmem_ctx_long_put_signal(ctx, pair.first, values.data(), 1 + one_of(64),
                                      reinterpret_cast<std::uint64_t*>(pair.second),
                                      static_cast<std::uint64_t>(step), SHMEM_SIGNAL_SET, pe);
        } else {
            move(ctx, static_cast<Move>(one_of(kMoves)), pair.first, step, pe);
            if (one_of(8) == 0) {
                ASSERT_EQ(shmem_ctx_long_g(ctx, pair.first, pe), step) << "g after a put";
            }
            shmem_ctx_fence(ctx);
            move(ctx, static_cast<Move>(one_of(kMoves)), pair.second, step, pe);
        }
        if (one_of(16) == 0) {
            long seen[2] = {};
            shmem_ctx_long_get(ctx, seen, pair.second, 2, pe);
            ASSERT_EQ(seen[0], step) << "get after a put";
        }
        shmem_ctx_fence(ctx);
    }
    if (is_private) shmem_ctx_destroy(ctx);
}

// While the left neighbour sends. The words only grow, so what is read later is not less.
void watch(const std::atomic<bool>& is_over, int threads, std::atomic<int>& wrong) {
    while (!is_over.load()) {
        for (int i = 0; i < threads; ++i) {
            const long second = look(pairs[i].second);
            const long first = look(pairs[i].first);
            const long second_later = look(pairs[i].second);
            if (first < second || first > second_later + 1) wrong.fetch_add(1);
        }
        ::sched_yield();
    }
}

void check(int threads, bool is_private) {
    const unsigned long seed = tessera::test::shared_seed();
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    for (Pair& pair : pairs) pair.first[0] = pair.second[0] = 0;
    for (long step = 0; step <= kIterations; ++step) steps[step] = step;
    shmem_barrier_all();
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    std::thread watcher([&] { watch(is_over, threads, wrong); });
    std::vector<std::thread> senders;
    for (int i = 0; i < threads; ++i) {
        const unsigned long own_seed = seed + static_cast<unsigned long>(me * kThreads + i);
        senders.emplace_back([=] { send(pairs[i], is_private, own_seed, right); });
    }
    for (std::thread& sender : senders) sender.join();
    shmem_barrier_all();
    is_over.store(true);
    watcher.join();
    EXPECT_EQ(wrong.load(), 0) << "steps that passed each other at a fence";
    for (int i = 0; i < threads; ++i) {
        EXPECT_EQ(look(pairs[i].first), kIterations);
        EXPECT_EQ(look(pairs[i].second), kIterations);
    }
}

TEST(FenceMix, OneThread) { check(1, false); }
TEST(FenceMix, OnPrivateContexts) { check(kThreads, true); }
TEST(FenceMix, SeveralThreads) { check(kThreads, false); }

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
