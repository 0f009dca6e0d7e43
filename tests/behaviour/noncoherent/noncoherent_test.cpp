// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE forgets one of the duties of software that keeps memory coherent
// (transports/noncoherent/duties.hpp has them): the tests are named by the rows. Runs on the
// emulation unless SHMEM_HEAP says otherwise; so mutants.txt can run it like any program.
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "noncoherent/emulation.hpp"
#include "support/pe_test.hpp"

namespace {

constexpr long kRounds = 20;
constexpr std::size_t kWords = 600;  // more than a page

struct Shared {
    long data[kWords];
    long flag;
    long counter;
    long lock;
    std::uint64_t signal;
    unsigned char bytes[64];
};
// Memory in front, so that the kernel watches what the program writes: always in static data, in
// the heap with an odd number of PEs. Small memory is compared (transports/noncoherent/copies.cpp).
constexpr std::size_t kFrontBytes = std::size_t{300} << 10;
struct {
    char front[kFrontBytes];
    Shared shared;
} static_memory;
Shared& statics = static_memory.shared;  // Symmetric as well.

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }
int right() { return (me() + 1) % npes(); }
int left() { return (me() + npes() - 1) % npes(); }
long value(long round, int pe) { return round * 1000 + pe + 1; }
bool is_noncoherent() {
    const char* heap = getenv("SHMEM_HEAP");
    return heap != nullptr && heap[0] == 'n';
}

// On heap memory and on static data.
class Duty : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        if (!GetParam()) front_ = static_memory.front;
        if (GetParam() && npes() % 2 == 1)
            front_ = static_cast<char*>(shmem_calloc(1, kFrontBytes));
        at_ = GetParam() ? static_cast<Shared*>(shmem_calloc(1, sizeof(Shared))) : &statics;
        ASSERT_NE(at_, nullptr);
        *at_ = {};
        shmem_barrier_all();
    }
    void TearDown() override {
        shmem_barrier_all();
        if (!GetParam()) return;
        shmem_free(at_);
        shmem_free(front_);
    }
    void store_data(long what) {
        // So the data's pages are not the first ones that were written.
        if (front_ != nullptr) front_[0] = static_cast<char>(what);
        for (long& word : at_->data) word = what;
    }
    bool data_is(long what) const {
        for (long word : at_->data) {
            if (word != what) return false;
        }
        return true;
    }
    // Tells the right neighbour, without any order, that this PE has come so far.
    void tell(long number) { shmem_long_atomic_set(&at_->flag, number, right()); }
    // Refreshes nothing else.
    void poll_own_flag(long number) const {
        while (shmem_long_atomic_fetch(&at_->flag, me()) != number) sched_yield();
    }
    void wait_for(long number) { shmem_long_wait_until(&at_->flag, SHMEM_CMP_EQ, number); }
    bool left_has(long what) {
        std::vector<long> copy(kWords);
        shmem_long_get(copy.data(), at_->data, kWords, left());
        for (long word : copy) {
            if (word != what) return false;
        }
        return true;
    }

    Shared* at_ = nullptr;
    char* front_ = nullptr;
};

TEST_P(Duty, SyncBegin) {
    for (long round = 1; round <= kRounds; ++round) {
        store_data(value(round, me()));
        shmem_sync_all();
        ASSERT_TRUE(left_has(value(round, left())));
        shmem_sync_all();
    }
}

TEST_P(Duty, SyncEnd) {
    for (long round = 1; round <= kRounds; ++round) {
        const std::vector<long> mine(kWords, value(round, me()));
        shmem_long_put(at_->data, mine.data(), kWords, right());
        shmem_quiet();
        shmem_sync_all();
        ASSERT_TRUE(data_is(value(round, left())));
        shmem_sync_all();
    }
}

// Nothing has published the own word when the one beside it comes in.
TEST_P(Duty, WaitEndKeepsOwnChangesInTheLine) {
    for (long round = 1; round <= kRounds; ++round) {
        at_->data[kWords / 2] = value(round, me());
        // It fetches, so it has come before the flag.
        shmem_long_atomic_swap(&at_->data[kWords / 2 + 1], value(round, me()), right());
        tell(round);
        wait_for(round);
        ASSERT_EQ(at_->data[kWords / 2], value(round, me()));
        ASSERT_EQ(at_->data[kWords / 2 + 1], value(round, left()));
        shmem_sync_all();
    }
}

TEST_P(Duty, Quiet) {
    for (long round = 1; round <= kRounds; ++round) {
        store_data(value(round, me()));
        shmem_quiet();
        tell(round);
        wait_for(round);
        ASSERT_TRUE(left_has(value(round, left())));
        shmem_barrier_all();
    }
}

TEST_P(Duty, Fence) {
    for (long round = 1; round <= kRounds; ++round) {
        store_data(value(round, me()));
        shmem_fence();
        tell(round);
        wait_for(round);
        ASSERT_TRUE(left_has(value(round, left())));
        shmem_barrier_all();
    }
}

TEST_P(Duty, WaitEnd) {
    for (long round = 1; round <= kRounds; ++round) {
        const std::vector<long> mine(kWords, value(round, me()));
        shmem_long_put(at_->data, mine.data(), kWords, right());
        shmem_fence();
        tell(round);
        if (round % 2 == 0) {
            wait_for(round);
        } else {
            while (shmem_long_test(&at_->flag, SHMEM_CMP_EQ, round) == 0) {
            }
        }
        ASSERT_TRUE(data_is(value(round, left())));
        shmem_barrier_all();
    }
}

TEST_P(Duty, Signals) {
    for (long round = 1; round <= kRounds; ++round) {
        const std::vector<long> mine(kWords, value(round, me()));
        const auto number = static_cast<std::uint64_t>(round);
        shmem_long_put_signal(at_->data, mine.data(), kWords, &at_->signal, number,
                              SHMEM_SIGNAL_SET, right());
        if (round % 2 == 0) {
            ASSERT_EQ(shmem_signal_wait_until(&at_->signal, SHMEM_CMP_EQ, number), number);
        } else {
            while (shmem_signal_fetch(&at_->signal) != number) {
            }
        }
        ASSERT_TRUE(data_is(value(round, left())));
        shmem_barrier_all();
    }
}

// PE 0 loads and stores the counter, the others get and put it.
TEST_P(Duty, LockTaken) {
    for (long round = 0; round < kRounds; ++round) {
        shmem_set_lock(&at_->lock);
        if (me() == 0) {
            volatile long* counter = &at_->counter;
            *counter = *counter + 1;
        } else {
            shmem_long_p(&at_->counter, shmem_long_g(&at_->counter, 0) + 1, 0);
        }
        shmem_clear_lock(&at_->lock);
    }
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_g(&at_->counter, 0), kRounds * npes());
}

// PE 0 queues for the lock while its holder has yet to change PE 0's memory.
TEST_P(Duty, LockTakenAfterAWait) {
    constexpr int kPolls = 300;
    for (long round = 1; npes() > 1 && round <= kRounds / 2; ++round) {
        volatile long* counter = &at_->counter;
        if (me() == 1) {
            shmem_set_lock(&at_->lock);
            shmem_long_atomic_set(&at_->flag, round, 0);
            poll_own_flag(round);  // PE 0 is about to queue.
            for (int i = 0; i < kPolls; ++i) (void)shmem_long_atomic_fetch(&at_->flag, 0);
            shmem_long_p(&at_->counter, round, 0);
            shmem_clear_lock(&at_->lock);
        } else if (me() == 0) {
            poll_own_flag(round);
            shmem_long_atomic_set(&at_->flag, round, 1);
            shmem_set_lock(&at_->lock);
            ASSERT_EQ(*counter, round);
            shmem_clear_lock(&at_->lock);
        }
        shmem_barrier_all();
    }
}

TEST_P(Duty, Epochs) {
    for (long round = 1; round <= kRounds; ++round) {
        store_data(value(round, me()));
        const int origin = left();
        const int target = right();
        shmemx_epoch_t exposure = nullptr;
        shmemx_epoch_t access = nullptr;
        shmemx_epoch_post(&origin, 1, 0, &exposure);
        shmemx_epoch_start(&target, 1, 0, &access);
        std::vector<long> seen(kWords);
        shmemx_epoch_ready(access, target);
        shmem_long_get(seen.data(), at_->data, kWords, target);
        for (long word : seen) ASSERT_EQ(word, value(round, target));
        for (long& word : seen) word = -value(round, me());
        shmem_long_put(at_->data, seen.data(), kWords, target);
        shmemx_epoch_complete(&access);
        shmemx_epoch_wait(&exposure);
        ASSERT_TRUE(data_is(-value(round, left())));
    }
}

TEST_P(Duty, OwnWordBeforeAtomic) {
    for (long round = 1; round <= kRounds; ++round) {
        at_->counter = value(round, me());
        ASSERT_EQ(shmem_long_atomic_fetch_add(&at_->counter, 1, me()), value(round, me()));
    }
}

TEST_P(Duty, OwnWordAfterAtomic) {
    volatile long* counter = &at_->counter;
    for (long round = 1; round <= kRounds; ++round) {
        shmem_long_atomic_inc(&at_->counter, me());
        ASSERT_EQ(*counter, round);
    }
}

// Polls by get: another PE's change comes in.
TEST_P(Duty, OwnGet) {
    for (long round = 1; round <= kRounds; ++round) {
        at_->counter = value(round, me());
        ASSERT_EQ(shmem_long_g(&at_->counter, me()), value(round, me()));
        tell(round);
        while (shmem_long_g(&at_->flag, me()) != round) {
        }
        shmem_barrier_all();
    }
}

// The members forward from their own dest what others have put there, and read the others'.
TEST_P(Duty, CollectivesOfSeveralSteps) {
    for (long round = 1; round <= kRounds; ++round) {
        const std::size_t each = kWords / static_cast<std::size_t>(npes()) / 2;
        long* source = at_->data + kWords / 2;
        for (std::size_t i = 0; i < each; ++i) source[i] = value(round, me());
        shmem_long_fcollect(SHMEM_TEAM_WORLD, at_->data, source, each);
        for (std::size_t i = 0; i < each * static_cast<std::size_t>(npes()); ++i)
            ASSERT_EQ(at_->data[i], value(round, static_cast<int>(i / each)));
        shmem_sync_all();
        const std::size_t half = kWords / 2;
        for (std::size_t i = 0; i < half; ++i) source[i] = value(round, me());
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, at_->data, source, half);
        long sum = 0;
        for (int pe = 0; pe < npes(); ++pe) sum += value(round, pe);
        for (std::size_t i = 0; i < half; ++i) ASSERT_EQ(at_->data[i], sum);
        shmem_sync_all();
        const int root = static_cast<int>(round % npes());
        shmem_long_broadcast(SHMEM_TEAM_WORLD, at_->data, source, half, root);
        for (std::size_t i = 0; i < half; ++i) ASSERT_EQ(at_->data[i], value(round, root));
        shmem_sync_all();
    }
}

// Neighbouring bytes: one is stored by its PE, the others are put.
TEST_P(Duty, NeighboursInOneLineSurvive) {
    const auto mine = static_cast<std::size_t>(me());
    if (npes() > 64) return;
    for (long round = 1; round <= kRounds; ++round) {
        const auto byte = static_cast<unsigned char>(round + me());
        at_->bytes[mine] = byte;
        for (int pe = 0; pe < npes(); ++pe) {
            if (pe != me()) shmem_uchar_put(at_->bytes + mine, &byte, 1, pe);
            shmem_long_atomic_inc(&at_->flag, pe);
        }
        poll_own_flag(round * npes());  // All puts are here before this PE publishes its byte.
        shmem_barrier_all();
        for (int pe = 0; pe < npes(); ++pe)
            ASSERT_EQ(at_->bytes[pe], static_cast<unsigned char>(round + pe)) << "of PE " << pe;
        shmem_barrier_all();
    }
}

// A word that its PE clears by a store, and that another PE sets again.
TEST_P(Duty, ClearedFlagIsSetAgain) {
    for (long round = 1; round <= 10 * kRounds; ++round) {
        if (me() % 2 == 0 && me() + 1 < npes()) {
            shmem_long_p(&at_->flag, round, me() + 1);
            shmem_long_wait_until(&at_->counter, SHMEM_CMP_EQ, 1);
            at_->counter = 0;
        } else if (me() % 2 == 1) {
            shmem_long_wait_until(&at_->flag, SHMEM_CMP_EQ, round);
            shmem_fence();
            shmem_long_p(&at_->counter, 1, me() - 1);
        }
        shmem_fence();
    }
}

INSTANTIATE_TEST_SUITE_P(Heap, Duty, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Statics, Duty, testing::Values(false));

TEST(Noncoherent, NobodyLoadsMemoryOfOthers) {
    auto* word = static_cast<long*>(shmem_malloc(sizeof(long)));
    EXPECT_EQ(shmem_ptr(word, me()), word);
    if (is_noncoherent() && npes() > 1) {
        EXPECT_EQ(shmem_ptr(word, right()), nullptr);
        EXPECT_EQ(shmem_ptr(&statics, right()), nullptr);
        EXPECT_EQ(shmem_team_n_pes(SHMEM_TEAM_SHARED), 1);
    }
    EXPECT_EQ(shmem_pe_accessible(right()), 1);
    EXPECT_EQ(shmem_addr_accessible(word, right()), 1);
    EXPECT_EQ(shmem_addr_accessible(&statics, right()), 1);
    shmem_free(word);
}

// Memory that is used again has no old values, and zeros where they are asked for.
TEST(Noncoherent, FreedMemoryIsUsedAgain) {
    for (long round = 1; round <= kRounds; ++round) {
        auto* words = static_cast<long*>(shmem_calloc(kWords, sizeof(long)));
        for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(words[i], 0);
        shmem_barrier_all();
        std::vector<long> theirs(kWords);
        shmem_long_get(theirs.data(), words, kWords, right());
        for (long word : theirs) ASSERT_EQ(word, 0);
        shmem_barrier_all();
        for (std::size_t i = 0; i < kWords; ++i) words[i] = round;
        shmem_barrier_all();
        shmem_free(words);
    }
}

}  // namespace

int main(int argc, char** argv) { return tessera::test::run_on_emulation(argc, argv); }
