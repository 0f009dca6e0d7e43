// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when loads and stores by shmemx_public_ptr miss the bytes that the other PE or its
// neighbours access, or when shmemx_writeback and shmemx_invalidate forget a side. PEs tell each
// other by atomics, which neither publish nor refresh anything else. Runs on every kind of memory.
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "noncoherent/emulation.hpp"
#include "support/pe_test.hpp"

namespace {

constexpr long kRounds = 20;
constexpr std::size_t kWords = 600;  // more than a page

struct Shared {
    long data[kWords];
    long flag;   // the left neighbour sets it
    long ready;  // the right neighbour sets it
};
Shared statics;

int me() { return shmem_my_pe(); }
int right() { return (me() + 1) % shmem_n_pes(); }
int left() { return (me() + shmem_n_pes() - 1) % shmem_n_pes(); }
long value(long round, int pe) { return round * 1000 + pe + 1; }

// A PE reaches public copies on another node only by a file that both share.
bool is_on_nodes_without_common_file() {
    const char* heap = std::getenv("SHMEM_HEAP");
    return std::getenv("SHMEM_VIRTUAL_NODES") != nullptr &&
           (heap == nullptr || !std::string_view(heap).starts_with("noncoherent:"));
}

// On heap memory and on static data.
class PublicPointers : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        at_ = GetParam() ? static_cast<Shared*>(shmem_calloc(1, sizeof(Shared))) : &statics;
        ASSERT_NE(at_, nullptr);
        *at_ = {};
        shmem_barrier_all();
        if (is_on_nodes_without_common_file()) GTEST_SKIP() << "needs one node, or a file";
    }
    void TearDown() override {
        shmem_barrier_all();
        if (GetParam()) shmem_free(at_);
    }
    void tell(long number) { shmem_long_atomic_set(&at_->flag, number, right()); }
    void wait_for(long number) { await(&at_->flag, number); }
    static void await(const long* word, long number) {
        while (shmem_long_atomic_fetch(word, me()) < number) sched_yield();
    }

    Shared* at_ = nullptr;
};

TEST_P(PublicPointers, AreThoseOfShmemPtrWhereItGivesSome) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (void* mapped = shmem_ptr(at_, pe); mapped != nullptr) {
            EXPECT_EQ(shmemx_public_ptr(at_, pe), mapped);
        }
        // Every PE can be reached, also one of another node that shares the file.
        EXPECT_NE(shmemx_public_ptr(at_, pe), nullptr);
    }
    EXPECT_EQ(shmemx_public_ptr(at_, me()), at_);
    long on_the_stack = 0;
    EXPECT_EQ(shmemx_public_ptr(&on_the_stack, right()), nullptr);
}

TEST_P(PublicPointers, StoresArriveAtTheOtherPe) {
    for (long round = 1; round <= kRounds; ++round) {
        auto* theirs = static_cast<long*>(shmemx_public_ptr(at_->data, right()));
        ASSERT_NE(theirs, nullptr);
        for (std::size_t i = 0; i < kWords; ++i) theirs[i] = value(round, me());
        shmemx_writeback(theirs, sizeof at_->data);
        tell(round);
        wait_for(round);
        shmemx_invalidate(at_->data, sizeof at_->data);
        for (long word : at_->data) ASSERT_EQ(word, value(round, left()));
        shmem_barrier_all();
    }
}

TEST_P(PublicPointers, StoresThatWereWrittenBackArriveAtABarrier) {
    for (long round = 1; round <= kRounds; ++round) {
        auto* theirs = static_cast<long*>(shmemx_public_ptr(at_->data, right()));
        ASSERT_NE(theirs, nullptr);
        for (std::size_t i = 0; i < kWords; ++i) theirs[i] = value(round, me());
        shmemx_writeback(theirs, sizeof at_->data);
        shmem_barrier_all();
        for (long word : at_->data) ASSERT_EQ(word, value(round, left()));
        shmem_barrier_all();
    }
}

TEST_P(PublicPointers, OwnStoresArriveAtLoadsAndGetsOfOthers) {
    for (long round = 1; round <= kRounds; ++round) {
        for (long& word : at_->data) word = value(round, me());
        shmemx_writeback(at_->data, sizeof at_->data);
        tell(round);
        wait_for(round);
        auto* theirs = static_cast<long*>(shmemx_public_ptr(at_->data, left()));
        ASSERT_NE(theirs, nullptr);
        shmemx_invalidate(theirs, sizeof at_->data);
        for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(theirs[i], value(round, left()));
        std::vector<long> copy(kWords);
        shmem_long_get(copy.data(), at_->data, kWords, left());
        for (long word : copy) ASSERT_EQ(word, value(round, left()));
        shmem_barrier_all();
    }
}

// The bytes beside the range stay as they are: own changes are not lost, others' do not arrive.
TEST_P(PublicPointers, InvalidateKeepsOwnChanges) {
    at_->data[0] = value(1, me());
    at_->data[1] = value(2, me());
    shmemx_invalidate(at_->data, 2 * sizeof(long));
    EXPECT_EQ(at_->data[0], value(1, me()));
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_g(&at_->data[0], right()), value(1, right()));
    EXPECT_EQ(shmem_long_g(&at_->data[1], right()), value(2, right()));
}

TEST_P(PublicPointers, GuardDoesBoth) {
    for (long round = 1; round <= kRounds; ++round) {
        at_->data[3] = value(round, me());
        shmemx_writeback(&at_->data[3], sizeof(long));
        shmem_long_atomic_set(&at_->ready, round, left());
        await(&at_->ready, round);
        {
            shmemx::public_range<long> theirs(at_->data, kWords, right());
            ASSERT_NE(theirs.data(), nullptr);
            EXPECT_EQ(theirs[3], value(round, right()));
            for (long& word : theirs) word = value(round + kRounds, me());
        }
        tell(round);
        wait_for(round);
        shmemx::public_range<long> mine(at_->data, kWords, me());
        for (long word : mine) ASSERT_EQ(word, value(round + kRounds, left()));
        const shmemx::public_range<const long> reader(at_->data, kWords, right());
        EXPECT_EQ(reader[0], value(round + kRounds, me()));
        shmem_barrier_all();
    }
}

INSTANTIATE_TEST_SUITE_P(Memory, PublicPointers, testing::Bool(),
                         [](const auto& test) { return test.param ? "Heap" : "Statics"; });

}  // namespace

int main(int argc, char** argv) { return tessera::test::run_on_emulation(argc, argv); }
