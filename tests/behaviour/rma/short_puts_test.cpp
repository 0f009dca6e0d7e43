// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when streams of short nonblocking puts, which wait for each other between nodes, get lost,
// change their order, or wait for a quiet though the stream is as long as the one before.
#include <shmem.h>

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
        for (std::size_t i = 0; i < used; ++i) {
            ASSERT_EQ(inbox[i], words[i]) << "round " << round << " word " << i;
        }
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

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
