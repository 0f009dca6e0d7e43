// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when puts, gets and atomics of several threads of a PE disturb each other: on the default
// context, on contexts of their own with all options, and on one that they share or hand over.
#include <algorithm>
#include <atomic>
#include <iterator>

#include "support/thread_test.hpp"

namespace {

using tessera::test::kThreadCounts;
using tessera::test::kThreadsMax;
using tessera::test::run_threads;
using tessera::test::scaled;
using tessera::test::SymmetricArray;
using tessera::test::word_of;

constexpr std::size_t kWords = 64;  // for a thread on each PE
constexpr std::size_t kMaxPes = 16;
alignas(64) std::uint64_t static_words[kMaxPes * kThreadsMax * kWords];

// The part of an array on `pe` that belongs to a thread of the calling PE.
std::uint64_t* part_of(std::uint64_t* words, int thread) {
    return words + (static_cast<std::size_t>(shmem_my_pe()) * kThreadsMax +
                    static_cast<std::size_t>(thread)) *
                       kWords;
}

// Puts, strided puts and single words into the thread's part on another PE, and gets them back.
void move_words(shmem_ctx_t ctx, std::uint64_t* words, int thread, int rounds) {
    std::uint64_t* part = part_of(words, thread);
    std::uint64_t sent[kWords];
    std::uint64_t received[kWords];
    for (int round = 0; round < rounds; ++round) {
        const int pe = (shmem_my_pe() + round + thread) % shmem_n_pes();
        for (std::size_t i = 0; i < kWords; ++i) {
            sent[i] = word_of(shmem_my_pe(), thread, round, i);
            received[i] = 0;
        }
        switch (round % 4) {
            case 0: shmem_ctx_uint64_put(ctx, part, sent, kWords, pe); break;
            case 1: shmem_ctx_uint64_put_nbi(ctx, part, sent, kWords, pe); break;
            case 2:
                shmem_ctx_uint64_iput(ctx, part, sent, 2, 2, kWords / 2, pe);
                shmem_ctx_uint64_iput(ctx, part + 1, sent + 1, 2, 2, kWords / 2, pe);
                break;
            default:
                for (std::size_t i = 0; i < kWords; ++i)
                    shmem_ctx_uint64_p(ctx, part + i, sent[i], pe);
        }
        shmem_ctx_quiet(ctx);
        if (round % 2 == 0) {
            shmem_ctx_uint64_get(ctx, received, part, kWords, pe);
        } else {
            shmem_ctx_uint64_get_nbi(ctx, received, part, kWords, pe);
            shmem_ctx_quiet(ctx);
        }
        for (std::size_t i = 0; i < kWords; ++i) {
            ASSERT_EQ(received[i], sent[i])
                << "thread " << thread << " round " << round << " word " << i << " on PE " << pe;
        }
        ASSERT_EQ(shmem_ctx_uint64_g(ctx, part + 5, pe), sent[5]);
    }
}

// Both kinds of symmetric memory, all numbers of threads. make(thread) gives each its context.
template <class Make, class Done>
void move_words_in_threads(Make make, Done done) {
    SymmetricArray<std::uint64_t> heap_words(static_cast<std::size_t>(shmem_n_pes()) * kThreadsMax *
                                             kWords);
    for (std::uint64_t* words : {heap_words.get(), static_words}) {
        for (int count : kThreadCounts) {
            run_threads(count, [&](int thread) {
                shmem_ctx_t ctx = make(thread);
                move_words(ctx, words, thread, scaled(40));
                done(ctx);
            });
            shmem_barrier_all();
        }
    }
}

TEST(Threads, MoveDataOnTheDefaultContext) {
    move_words_in_threads([](int) { return SHMEM_CTX_DEFAULT; }, [](shmem_ctx_t) {});
}

TEST(Threads, MoveDataOnContextsOfTheirOwn) {
    for (long options :
         {0L, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE}) {
        move_words_in_threads(
            [options](int) {
                shmem_ctx_t ctx = SHMEM_CTX_INVALID;
                EXPECT_EQ(shmem_ctx_create(options, &ctx), 0);
                return ctx;
            },
            [](shmem_ctx_t ctx) { shmem_ctx_destroy(ctx); });
    }
}

TEST(Threads, MoveDataOnOneSharedContext) {
    shmem_ctx_t shared = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(0, &shared), 0);
    move_words_in_threads([shared](int) { return shared; }, [](shmem_ctx_t) {});
    shmem_ctx_destroy(shared);
}

// Streams of nonblocking puts and gets, short and long, which gather between nodes: those of all
// threads in the same places of the context.
TEST(Threads, StreamOnOneSharedContext) {
    constexpr std::size_t kStreamWords = 16'000;
    constexpr std::size_t kLengths[] = {1, 40, 300, 512, 1500, 3000};
    shmem_ctx_t shared = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(0, &shared), 0);
    SymmetricArray<std::uint64_t> inbox(kThreadsMax * kStreamWords);
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    for (int count : kThreadCounts) {
        run_threads(count, [&](int thread) {
            std::uint64_t* part = inbox.get() + static_cast<std::size_t>(thread) * kStreamWords;
            std::vector<std::uint64_t> sent(kStreamWords);
            std::vector<std::uint64_t> received(kStreamWords);
            for (int round = 0; round < scaled(20); ++round) {
                for (std::size_t i = 0; i < kStreamWords; ++i)
                    sent[i] = word_of(shmem_my_pe(), thread, round, i);
                const auto words_at = [&](std::size_t turn, std::size_t at) {
                    const auto first = static_cast<std::size_t>(round + thread);
                    return std::min(kLengths[(first + turn) % std::size(kLengths)],
                                    kStreamWords - at);
                };
                for (std::size_t turn = 0, at = 0; at < kStreamWords; ++turn) {
                    const std::size_t words = words_at(turn, at);
                    shmem_ctx_uint64_put_nbi(shared, part + at, &sent[at], words, right);
                    at += words;
                }
                shmem_ctx_quiet(shared);
                for (std::size_t turn = 3, at = 0; at < kStreamWords; ++turn) {
                    const std::size_t words = words_at(turn, at);
                    shmem_ctx_uint64_get_nbi(shared, &received[at], part + at, words, right);
                    at += words;
                }
                shmem_ctx_quiet(shared);
                for (std::size_t i = 0; i < kStreamWords; ++i) {
                    ASSERT_EQ(received[i], sent[i])
                        << "thread " << thread << " round " << round << " word " << i;
                }
            }
        });
        shmem_barrier_all();
    }
    shmem_ctx_destroy(shared);
}

// One thread after the other uses it: the last one completes the operations of the first.
TEST(Threads, HandASerializedContextOver) {
    SymmetricArray<std::uint64_t> words(static_cast<std::size_t>(shmem_n_pes()) * kThreadsMax *
                                        kWords);
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    for (int count : kThreadCounts) {
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0);
        std::atomic<int> turn{0};
        const int turns = count * 5;
        std::vector<std::uint64_t> sent(static_cast<std::size_t>(turns) * 8);
        run_threads(count, [&](int thread) {
            for (int mine = thread; mine < turns; mine += count) {
                while (turn.load(std::memory_order_acquire) != mine) std::this_thread::yield();
                const auto at = static_cast<std::size_t>(mine) * 8;
                for (std::size_t i = 0; i < 8; ++i)
                    sent[at + i] = word_of(shmem_my_pe(), thread, mine, i);
                shmem_ctx_uint64_put_nbi(ctx, words.get() + at, &sent[at], 8, right);
                if (mine == turns - 1) shmem_ctx_quiet(ctx);
                turn.store(mine + 1, std::memory_order_release);
            }
        });
        std::vector<std::uint64_t> received(sent.size());
        shmem_uint64_get(received.data(), words.get(), received.size(), right);
        EXPECT_EQ(received, sent);
        shmem_ctx_destroy(ctx);
        shmem_barrier_all();
    }
}

// ---- Atomics -----------------------------------------------------------------------------------

// All threads of all PEs draw tickets from one counter; each ticket marks its own place.
template <class Draw>
void check_tickets(int threads, Draw draw) {
    const auto npes = static_cast<std::size_t>(shmem_n_pes());
    const int tickets = scaled(60);
    const std::size_t total = npes * static_cast<std::size_t>(threads * tickets);
    SymmetricArray<std::uint64_t> counter(1);
    SymmetricArray<std::uint64_t> marks(total);
    const int home = shmem_n_pes() - 1;
    run_threads(threads, [&](int thread) {
        shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
        if (thread % 2 == 1) {
            ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
        }
        std::uint64_t last = 0;
        for (int i = 0; i < tickets; ++i) {
            const std::uint64_t ticket = draw(ctx, counter.get(), home);
            ASSERT_LT(ticket, total);
            if (i > 0) {
                ASSERT_GT(ticket, last);
            }
            last = ticket;
            shmem_ctx_uint64_atomic_inc(ctx, marks.get() + ticket, home);
        }
        shmem_ctx_quiet(ctx);
        if (ctx != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(ctx);
    });
    shmem_barrier_all();
    if (shmem_my_pe() != home) return;
    EXPECT_EQ(counter[0], total);
    for (std::size_t i = 0; i < total; ++i) ASSERT_EQ(marks[i], 1U) << "ticket " << i;
}

TEST(Threads, DrawTicketsByFetchInc) {
    for (int count : kThreadCounts) {
        check_tickets(count, [](shmem_ctx_t ctx, std::uint64_t* counter, int pe) {
            return shmem_ctx_uint64_atomic_fetch_inc(ctx, counter, pe);
        });
    }
}

TEST(Threads, DrawTicketsByFetchAddNbi) {
    for (int count : kThreadCounts) {
        check_tickets(count, [](shmem_ctx_t ctx, std::uint64_t* counter, int pe) {
            std::uint64_t ticket = 0;
            shmem_ctx_uint64_atomic_fetch_add_nbi(ctx, &ticket, counter, 1, pe);
            shmem_ctx_quiet(ctx);
            return ticket;
        });
    }
}

TEST(Threads, DrawTicketsByCompareSwap) {
    for (int count : kThreadCounts) {
        check_tickets(count, [](shmem_ctx_t ctx, std::uint64_t* counter, int pe) {
            std::uint64_t seen = shmem_ctx_uint64_atomic_fetch(ctx, counter, pe);
            for (;;) {
                std::uint64_t now =
                    shmem_ctx_uint64_atomic_compare_swap(ctx, counter, seen, seen + 1, pe);
                if (now == seen) return seen;
                seen = now;
            }
        });
    }
}

// Each thread has a bit of its own in one word; of 32 bits, and static.
std::uint32_t bits;
std::int32_t sum;

TEST(Threads, ChangeBitsOfOneWord) {
    const auto count = static_cast<unsigned>(kThreadsMax);
    const int home = 0;
    bits = 0;
    sum = 0;
    shmem_barrier_all();
    if (static_cast<unsigned>(shmem_n_pes()) * count > 32) return;
    const int rounds = scaled(50);
    run_threads(kThreadsMax, [&](int thread) {
        const std::uint32_t mine =
            1U << (static_cast<unsigned>(shmem_my_pe()) * count + static_cast<unsigned>(thread));
        for (int round = 0; round < rounds; ++round) {
            ASSERT_EQ(shmem_uint32_atomic_fetch_or(&bits, mine, home) & mine, 0U);
            ASSERT_EQ(shmem_uint32_atomic_fetch_and(&bits, ~mine, home) & mine, mine);
            ASSERT_EQ(shmem_uint32_atomic_fetch_xor(&bits, mine, home) & mine, 0U);
            shmem_uint32_atomic_xor(&bits, mine, home);
            shmem_fence();
            shmem_int32_atomic_add(&sum, thread - 1, home);
        }
        shmem_uint32_atomic_or(&bits, mine, home);
    });
    shmem_barrier_all();
    if (shmem_my_pe() != home) return;
    const unsigned all = static_cast<unsigned>(shmem_n_pes()) * count;
    EXPECT_EQ(bits, all == 32 ? ~0U : (1U << all) - 1);
    EXPECT_EQ(sum, shmem_n_pes() * rounds * (kThreadsMax * (kThreadsMax - 1) / 2 - kThreadsMax));
}

// Threads of one PE may not share a lock, so each has its own; PEs fight for them.
TEST(Threads, HoldDifferentLocks) {
    SymmetricArray<long> locks(kThreadsMax);
    SymmetricArray<std::uint64_t> counters(kThreadsMax);
    const int rounds = scaled(25);
    run_threads(kThreadsMax, [&](int thread) {
        for (int round = 0; round < rounds; ++round) {
            long* lock = locks.get() + thread;
            std::uint64_t* counter = counters.get() + thread;
            if (round % 3 == 0) {
                while (shmem_test_lock(lock) != 0) std::this_thread::yield();
            } else {
                shmem_set_lock(lock);
            }
            shmem_uint64_p(counter, shmem_uint64_g(counter, 0) + 1, 0);
            shmem_clear_lock(lock);
        }
    });
    shmem_barrier_all();
    if (shmem_my_pe() != 0) return;
    for (int i = 0; i < kThreadsMax; ++i) {
        EXPECT_EQ(counters[static_cast<std::size_t>(i)],
                  static_cast<std::uint64_t>(rounds * shmem_n_pes()));
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
