// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when streams of short nonblocking puts, which wait for each other between nodes, or longer
// ones, which gather in one write, get lost, change their order, or wait for a quiet: short ones
// though the stream is as long as the one before, longer ones at all.
#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "support/pe_test.hpp"
#include "support/thread_test.hpp"

namespace {

using tessera::test::SymmetricArray;

constexpr std::size_t kStream = 64;

int next_pe() { return (shmem_my_pe() + 1) % shmem_n_pes(); }

TEST(ShortPuts, StreamsOfAnyLength) {
    constexpr std::size_t kWords = 100'000;
    SymmetricArray<long> inbox(kWords);
    std::mt19937_64 random(tessera::test::shared_seed());  // The same on all PEs.
    std::vector<long> words(kWords);
    long value = 0;
    for (int round = 0; round < 60; ++round) {
        const std::size_t puts = random() % (round % 5 == 0 ? 600 : 40);
        std::size_t used = 0;
        std::vector<std::pair<std::size_t, std::size_t>> parts;
        for (std::size_t i = 0; i < puts; ++i) {
            const std::size_t count = random() % 3 == 0 ? 1 : 1 + random() % 150;
            for (std::size_t j = 0; j < count; ++j) words[used + j] = ++value;
            // A blocking put, or a fence, in the middle of a stream.
            auto* put = random() % 50 == 0 ? shmem_long_put : shmem_long_put_nbi;
            put(&inbox[used], &words[used], count, next_pe());
            if (random() % 50 == 0) shmem_fence();
            used += count;
        }
        shmem_barrier_all();
        for (std::size_t i = 0; i < used; ++i)
            ASSERT_EQ(inbox[i], words[i]) << "round " << round << " word " << i;
        shmem_barrier_all();
    }
}

// The last put of a word decides, also behind a fence, and with blocking puts between.
TEST(ShortPuts, KeepTheirOrderBehindFences) {
    SymmetricArray<long> inbox(2);
    std::vector<long> values(kStream);
    for (int round = 0; round < 40; ++round) {
        for (std::size_t i = 0; i < kStream; ++i) {
            values[i] = round * 1000 + static_cast<long>(i);
            shmem_long_put_nbi(&inbox[0], &values[i], 1, next_pe());
            shmem_fence();
            if (i % 16 == 5) shmem_long_p(&inbox[1], values[i], next_pe());
        }
        shmem_barrier_all();
        ASSERT_EQ(inbox[0], values[kStream - 1]);
        ASSERT_EQ(inbox[1], values[kStream - 11]);
        shmem_barrier_all();
    }
}

// No PE calls the library until the stream of the other PE is there.
TEST(ShortPuts, LeaveBeforeTheQuietWhenTheStreamIsAsLongAsTheLastOne) {
    SymmetricArray<long> inbox(kStream);
    std::vector<long> words(kStream);
    for (long round = 1; round <= 20; ++round) {
        for (std::size_t i = 0; i < kStream; ++i) {
            words[i] = round;
            shmem_long_put_nbi(&inbox[i], &words[i], 1, next_pe());
        }
        if (round > 2) {
            for (std::size_t i = 0; i < kStream; ++i) {
                while (std::atomic_ref(inbox[i]).load() != round) std::this_thread::yield();
            }
        }
        shmem_barrier_all();
    }
}

constexpr std::size_t kWordsOfLonger = 512;

TEST(LongerPuts, StreamsOfAnyLength) {
    constexpr std::size_t kWords = 200'000;
    constexpr std::size_t kWordsMax = 6000;                // some are too long to gather
    SymmetricArray<long> inbox(2 * kWords);                // from two PEs
    SymmetricArray<long> unchanged(kWords);                // all zero
    std::mt19937_64 random(tessera::test::shared_seed());  // The same on all PEs.
    std::vector<long> words(kWords), seen(kWords);
    const int next = next_pe(), second = (shmem_my_pe() + 2) % shmem_n_pes();
    long value = 0;
    for (int round = 0; round < 40; ++round) {
        const std::size_t puts = random() % (round % 4 == 0 ? 100 : 12);
        std::size_t used = 0;
        for (std::size_t i = 0; i < puts; ++i) {
            const std::size_t count = 1 + random() % (random() % 4 == 0 ? kWordsMax : 1500);
            if (used + count > kWords) break;
            for (std::size_t j = 0; j < count; ++j) words[used + j] = ++value;
            shmem_long_put_nbi(&inbox[used], &words[used], count, next);
            const auto what = random() % 16;
            // Others between them.
            if (what < 8) shmem_long_put_nbi(&inbox[kWords + used], &words[used], count, second);
            if (what >= 8) shmem_long_put(&inbox[kWords + used], &words[used], count, second);
            if (what == 1) shmem_fence();
            if (what == 2) shmem_long_get_nbi(&seen[used], &unchanged[used], count, second);
            used += count;
        }
        shmem_barrier_all();
        for (std::size_t i = 0; i < used; ++i) {
            ASSERT_EQ(inbox[i], words[i]) << "round " << round << " word " << i;
            ASSERT_EQ(inbox[kWords + i], words[i]) << "round " << round << " word " << i;
        }
        shmem_barrier_all();
    }
}

// A fence sends the puts that gather.
TEST(LongerPuts, KeepTheirOrderBehindFences) {
    constexpr std::size_t kPuts = 7;
    SymmetricArray<long> inbox(kPuts * kWordsOfLonger);
    SymmetricArray<long> flag(1);
    std::vector<long> first(kWordsOfLonger), second(kWordsOfLonger);
    for (long round = 1; round <= 60; ++round) {
        std::fill(first.begin(), first.end(), -round);
        std::fill(second.begin(), second.end(), round);
        const std::size_t puts = 1 + static_cast<std::size_t>(round) % kPuts;
        for (std::size_t i = 0; i < puts; ++i)
            shmem_long_put_nbi(&inbox[i * kWordsOfLonger], first.data(), kWordsOfLonger, next_pe());
        shmem_fence();
        for (std::size_t i = puts; i-- > 0;)
            shmem_long_put(&inbox[i * kWordsOfLonger], second.data(), kWordsOfLonger, next_pe());
        shmem_fence();
        shmem_long_p(flag.get(), round, next_pe());
        shmem_long_wait_until(flag.get(), SHMEM_CMP_EQ, round);
        for (std::size_t i = 0; i < puts * kWordsOfLonger; ++i)
            ASSERT_EQ(inbox[i], round) << "word " << i;
        shmem_barrier_all();
    }
}

// No PE calls the library until the stream of the other PE is there.
TEST(LongerPuts, ArriveWhileTheProgramComputes) {
    SymmetricArray<long> inbox(kStream * kWordsOfLonger);
    std::vector<long> words(kStream * kWordsOfLonger);
    for (long round = 1; round <= 20; ++round) {
        std::fill(words.begin(), words.end(), round);
        for (std::size_t i = 0; i < words.size(); i += kWordsOfLonger)
            shmem_long_put_nbi(&inbox[i], &words[i], kWordsOfLonger, next_pe());
        for (std::size_t i = kWordsOfLonger - 1; i < words.size(); i += kWordsOfLonger) {
            while (std::atomic_ref(inbox[i]).load() != round) std::this_thread::yield();
        }
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
