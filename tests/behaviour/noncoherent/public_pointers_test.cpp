// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when loads and stores by shmemx_public_ptr miss the bytes that the other PE or its
// neighbours access, or when shmemx_writeback and shmemx_invalidate forget a side. PEs tell each
// other by atomics, which neither publish nor refresh anything else. Runs on every kind of memory.
#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "noncoherent/public_memory.hpp"

namespace {

using tessera::test::kLineWords;
using tessera::test::kPublicWords;
using tessera::test::left;
using tessera::test::my_pe;
using tessera::test::PublicWords;
using tessera::test::right;

constexpr long kRounds = 20;
constexpr std::size_t kBytes = sizeof(PublicWords::data);

long value(long round, int pe) { return round * 1000 + pe + 1; }

// A PE reaches public copies on another node only by a file that both share.
bool is_on_nodes_without_common_file() {
    const char* heap = std::getenv("SHMEM_HEAP");
    return std::getenv("SHMEM_VIRTUAL_NODES") != nullptr &&
           (heap == nullptr || !std::string_view(heap).starts_with("noncoherent:"));
}

class PublicPointers : public tessera::test::PublicMemoryTest {
  protected:
    void SetUp() override {
        PublicMemoryTest::SetUp();
        if (is_on_nodes_without_common_file()) GTEST_SKIP() << "needs one node, or a file";
    }
};

TEST_P(PublicPointers, AreThoseOfShmemPtrWhereItGivesSome) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (void* mapped = shmem_ptr(words(pe), pe); mapped != nullptr) {
            EXPECT_EQ(shmemx_public_ptr(words(pe), pe), mapped);
        }
        // Every PE can be reached, also one of another node that shares the file.
        EXPECT_NE(shmemx_public_ptr(words(pe), pe), nullptr);
    }
    EXPECT_EQ(shmemx_public_ptr(words(), my_pe()), words());
    long on_the_stack = 0;
    EXPECT_EQ(shmemx_public_ptr(&on_the_stack, right()), nullptr);
}

TEST_P(PublicPointers, StoresArriveAtTheOtherPe) {
    for (long round = 1; round <= kRounds; ++round) {
        auto* theirs = pointer_to(right())->data;
        ASSERT_NE(theirs, nullptr);
        shmemx_invalidate(theirs, kBytes);
        for (std::size_t i = 0; i < kPublicWords; ++i) theirs[i] = value(round, my_pe());
        shmemx_writeback(theirs, kBytes);
        tell(round);
        hear(round);
        shmemx_invalidate(words()->data, kBytes);
        for (long word : words()->data) ASSERT_EQ(word, value(round, left()));
        shmem_barrier_all();
    }
}

TEST_P(PublicPointers, StoresThatWereWrittenBackArriveAtABarrier) {
    for (long round = 1; round <= kRounds; ++round) {
        auto* theirs = pointer_to(right())->data;
        ASSERT_NE(theirs, nullptr);
        shmemx_invalidate(theirs, kBytes);
        for (std::size_t i = 0; i < kPublicWords; ++i) theirs[i] = value(round, my_pe());
        shmemx_writeback(theirs, kBytes);
        shmem_barrier_all();
        for (long word : words()->data) ASSERT_EQ(word, value(round, left()));
        shmem_barrier_all();
    }
}

TEST_P(PublicPointers, OwnStoresArriveAtLoadsAndGetsOfOthers) {
    for (long round = 1; round <= kRounds; ++round) {
        for (long& word : words()->data) word = value(round, my_pe());
        shmemx_writeback(words()->data, kBytes);
        tell(round);
        hear(round);
        auto* theirs = pointer_to(left())->data;
        ASSERT_NE(theirs, nullptr);
        shmemx_invalidate(theirs, kBytes);
        for (std::size_t i = 0; i < kPublicWords; ++i) ASSERT_EQ(theirs[i], value(round, left()));
        std::vector<long> copy(kPublicWords);
        shmem_long_get(copy.data(), words(left())->data, kPublicWords, left());
        for (long word : copy) ASSERT_EQ(word, value(round, left()));
        shmem_barrier_all();
    }
}

// The bytes beside the range stay as they are: own changes are not lost, others' do not arrive.
TEST_P(PublicPointers, InvalidateKeepsOwnChanges) {
    words()->data[0] = value(1, my_pe());
    words()->data[1] = value(2, my_pe());
    shmemx_invalidate(words()->data, 2 * sizeof(long));
    EXPECT_EQ(words()->data[0], value(1, my_pe()));
    shmem_barrier_all();
    EXPECT_EQ(shmem_long_g(&words(right())->data[0], right()), value(1, right()));
    EXPECT_EQ(shmem_long_g(&words(right())->data[1], right()), value(2, right()));
}

TEST_P(PublicPointers, GuardDoesBoth) {
    for (long round = 1; round <= kRounds; ++round) {
        words()->data[3] = value(round, my_pe());
        shmemx_writeback(&words()->data[3], sizeof(long));
        shmem_long_atomic_set(&words(left())->ready, round, left());
        await(&words()->ready, round);
        {
            shmemx::public_range<long> theirs(words(right())->data, kPublicWords, right());
            ASSERT_NE(theirs.data(), nullptr);
            EXPECT_EQ(theirs[3], value(round, right()));
            for (long& word : theirs) word = value(round + kRounds, my_pe());
        }
        tell(round);
        hear(round);
        shmemx::public_range<long> mine(words()->data, kPublicWords, my_pe());
        for (long word : mine) ASSERT_EQ(word, value(round + kRounds, left()));
        const shmemx::public_range<const long> reader(words(right())->data, kPublicWords, right());
        EXPECT_EQ(reader[0], value(round + kRounds, my_pe()));
        shmem_barrier_all();
    }
}

// Writes of one round to a line of some PE's words: by one PE, in a way of many.
struct LineWrite {
    int writer;
    int way;
    std::size_t first;  // words of the line
    std::size_t count;
    long value;
};

void write(PublicWords* words, int pe, std::size_t line, const LineWrite& what) {
    long* const dest = words->data + line * kLineWords + what.first;
    const std::vector<long> values(what.count, what.value);
    if (pe == my_pe() && what.way < 2) {
        for (std::size_t i = 0; i < what.count; ++i) dest[i] = what.value;
    } else if (what.way == 0) {
        auto* pointer = static_cast<long*>(shmemx_public_ptr(dest, pe));
        shmemx_invalidate(pointer, what.count * sizeof(long));
        for (std::size_t i = 0; i < what.count; ++i) pointer[i] = what.value;
        shmemx_writeback(pointer, what.count * sizeof(long));
    } else if (what.way == 1) {
        shmemx::public_range<long> range(dest, what.count, pe);
        for (long& word : range) word = what.value;
    } else if (what.way == 2) {
        shmem_long_put(dest, values.data(), values.size(), pe);
    } else {
        for (std::size_t i = 0; i < what.count; ++i)
            shmem_long_atomic_set(dest + i, what.value, pe);
    }
}

// All words of a PE, by loads or by a get.
std::vector<long> read(PublicWords* words, int pe, bool by_get) {
    std::vector<long> seen(kPublicWords);
    if (by_get) {
        shmem_long_get(seen.data(), words->data, seen.size(), pe);
    } else {
        const shmemx::public_range<const long> range(words->data, kPublicWords, pe);
        seen.assign(range.begin(), range.end());
    }
    return seen;
}

TEST_P(PublicPointers, RandomWritesAgreeWithAModel) {
    constexpr std::size_t kLines = kPublicWords / kLineWords;
    std::mt19937_64 random(tessera::test::shared_seed());
    std::mt19937_64 own_random(static_cast<unsigned long>(my_pe()));
    const auto npes = static_cast<std::size_t>(shmem_n_pes());
    std::vector<std::vector<long>> model(npes, std::vector<long>(kPublicWords));
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t pe = 0; pe < npes; ++pe) {
            for (std::size_t line = 0; line < kLines; ++line) {
                LineWrite what{.writer = static_cast<int>(random() % npes),
                               .way = static_cast<int>(random() % 4),
                               .first = random() % kLineWords,
                               .count = 0,
                               .value = static_cast<long>(random() % 3)};
                what.count = random() % (kLineWords - what.first) + 1;
                std::fill_n(model[pe].begin() + static_cast<long>(line * kLineWords + what.first),
                            what.count, what.value);
                const int target = static_cast<int>(pe);
                if (what.writer == my_pe()) write(words(target), target, line, what);
            }
        }
        shmem_barrier_all();
        for (std::size_t pe = 0; pe < npes; ++pe) {
            const int target = static_cast<int>(pe);
            ASSERT_EQ(read(words(target), target, own_random() % 2 == 0), model[pe])
                << "PE " << pe << ", round " << round;
        }
        shmem_barrier_all();
    }
}

INSTANTIATE_TEST_SUITE_P(Memory, PublicPointers, tessera::test::all_memory(),
                         tessera::test::memory_name);

}  // namespace

int main(int argc, char** argv) { return tessera::test::run_on_emulation(argc, argv); }
