// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a thread that waits holds up the others of its PE, misses what ends its wait, or sees
// a signal before its data: several threads of each PE wait at the same time, for threads of other
// PEs and for each other.
#include "support/thread_test.hpp"

namespace {

using tessera::test::kThreadCounts;
using tessera::test::kThreadsMax;
using tessera::test::run_threads;
using tessera::test::scaled;
using tessera::test::SymmetricArray;
using tessera::test::word_of;

constexpr std::size_t kWords = 24;

// The next one in a ring of all threads of all PEs: the thread of the same number on the next PE,
// after the last PE the next thread on the first one.
struct Station {
    int pe;
    int thread;
};
Station after(Station at, int threads) {
    if (at.pe + 1 < shmem_n_pes()) return {at.pe + 1, at.thread};
    return {0, (at.thread + 1) % threads};
}

// One token goes round the ring for each thread that starts one; each thread passes all of them on.
TEST(Threads, PassSignalledDataRoundARing) {
    for (int count : kThreadCounts) {
        const int stations = count * shmem_n_pes();
        const int laps = scaled(12);
        SymmetricArray<std::uint64_t> inbox(kThreadsMax * kWords);
        SymmetricArray<std::uint64_t> arrived(kThreadsMax);
        SymmetricArray<std::uint64_t> taken(kThreadsMax);  // by the next one, for each sender
        run_threads(count, [&](int thread) {
            const Station me{shmem_my_pe(), thread};
            const Station next = after(me, count);
            Station previous = me;
            for (int i = 1; i < stations; ++i) previous = after(previous, count);
            std::uint64_t* box = inbox.get() + static_cast<std::size_t>(next.thread) * kWords;
            std::uint64_t* mine = inbox.get() + static_cast<std::size_t>(thread) * kWords;
            std::uint64_t token[kWords];
            for (std::size_t i = 0; i < kWords; ++i) token[i] = word_of(me.pe, thread, 0, i);
            Station owner = me;  // owner of the token in my hand
            for (int hop = 1; hop <= laps * stations; ++hop) {
                const auto number = static_cast<std::uint64_t>(hop);
                // The next one has taken the last token out.
                shmem_uint64_wait_until(taken.get() + thread, SHMEM_CMP_GE, number - 1);
                if (hop % 2 == 0) {
                    shmem_uint64_put_signal(box, token, kWords, arrived.get() + next.thread, number,
                                            SHMEM_SIGNAL_SET, next.pe);
                } else {
                    shmem_uint64_put_signal_nbi(box, token, kWords, arrived.get() + next.thread,
                                                number, SHMEM_SIGNAL_SET, next.pe);
                    shmem_quiet();
                }
                ASSERT_EQ(shmem_signal_wait_until(arrived.get() + thread, SHMEM_CMP_EQ, number),
                          number);
                std::memcpy(token, mine, sizeof token);
                owner = {(owner.pe + shmem_n_pes() - 1) % shmem_n_pes(),
                         owner.pe > 0 ? owner.thread : (owner.thread + count - 1) % count};
                for (std::size_t i = 0; i < kWords; ++i) {
                    ASSERT_EQ(token[i], word_of(owner.pe, owner.thread, 0, i))
                        << "hop " << hop << " word " << i;
                }
                shmem_signal_set(taken.get() + previous.thread, number, previous.pe);
            }
        });
        shmem_barrier_all();
    }
}

// Thread 0 waits for any of the words that threads of all PEs set; the others wait for its answer.
TEST(Threads, WaitForAnyOfManyThreads) {
    const int npes = shmem_n_pes();
    for (int count : kThreadCounts) {
        const int senders = (count - 1) * npes;
        const int rounds = scaled(16);
        SymmetricArray<std::uint32_t> asked(static_cast<std::size_t>(senders));
        SymmetricArray<std::uint32_t> answered(static_cast<std::size_t>(count * npes));
        run_threads(count, [&](int thread) {
            if (thread > 0) {
                const int me = (thread - 1) * npes + shmem_my_pe();
                for (int round = 1; round <= rounds; ++round) {
                    const auto number = static_cast<std::uint32_t>(round);
                    for (int pe = 0; pe < npes; ++pe) {
                        shmem_uint32_atomic_set(asked.get() + me, number, pe);
                        shmem_uint32_wait_until(answered.get() + thread * npes + pe, SHMEM_CMP_GE,
                                                number);
                    }
                }
                return;
            }
            std::vector<std::uint32_t> seen(static_cast<std::size_t>(senders), 0);
            for (int left = rounds * senders; left > 0; --left) {
                const std::size_t from = shmem_uint32_wait_until_any_vector(
                    asked.get(), seen.size(), nullptr, SHMEM_CMP_GT, seen.data());
                ASSERT_LT(from, seen.size());
                const auto sender = static_cast<int>(from);
                const int pe = sender % npes;
                const int its_thread = sender / npes + 1;
                ++seen[from];
                shmem_uint32_atomic_inc(answered.get() + its_thread * npes + shmem_my_pe(), pe);
            }
        });
        shmem_barrier_all();
    }
}

// All threads of all PEs wait for the same words in their own way.
TEST(Threads, WaitForTheSameWord) {
    SymmetricArray<long> flags(3);
    const int rounds = scaled(16);
    run_threads(kThreadsMax, [&](int thread) {
        for (int round = 1; round <= rounds; ++round) {
            const long number = round;
            const int turn = round % (kThreadsMax * shmem_n_pes());
            if (turn == thread * shmem_n_pes() + shmem_my_pe()) {
                for (int pe = 0; pe < shmem_n_pes(); ++pe) {
                    for (int i = 0; i < 3; ++i) shmem_long_atomic_add(flags.get() + i, 1, pe);
                }
            }
            switch ((thread + round) % 4) {
                case 0: shmem_long_wait_until(flags.get() + 1, SHMEM_CMP_GE, number); break;
                case 1:
                    shmem_long_wait_until_all(flags.get(), 3, nullptr, SHMEM_CMP_GE, number);
                    break;
                case 2:
                    while (shmem_long_test(flags.get() + 2, SHMEM_CMP_GE, number) == 0)
                        std::this_thread::yield();
                    break;
                default: {
                    std::size_t indices[3];
                    const std::size_t found = shmem_long_wait_until_some(
                        flags.get(), 3, indices, nullptr, SHMEM_CMP_GE, number);
                    ASSERT_GE(found, 1U);
                    ASSERT_LE(found, 3U);
                }
            }
        }
    });
    shmem_barrier_all();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(flags[i], rounds);
}

// While two threads wait, the third of the same PE is who ends their waits.
TEST(Threads, EndEachOthersWaits) {
    SymmetricArray<std::uint64_t> words(3);
    const int me = shmem_my_pe();
    const int rounds = scaled(100);
    run_threads(3, [&](int thread) {
        for (int round = 0; round < rounds; ++round) {
            const auto number =
                static_cast<std::uint64_t>(round) * 3 + static_cast<std::uint64_t>(thread);
            shmem_uint64_wait_until(words.get() + thread, SHMEM_CMP_GE, number);
            for (int i = 0; i < 3; ++i) shmem_signal_add(words.get() + i, 1, me);
        }
    });
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(words[i], static_cast<std::uint64_t>(rounds) * 3);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
