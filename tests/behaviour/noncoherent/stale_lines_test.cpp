// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the emulation hides that a program which loads and stores by shmemx_public_ptr
// forgets shmemx_invalidate or shmemx_writeback: then a load is stale, and a store private, until
// the call comes or the line is evicted. Barriers and other routines move no lines of others'
// memory, but those that they access themselves. Only on the emulation.
#include <shmem.h>
#include <shmemx.h>

#include <thread>

#include "noncoherent/public_memory.hpp"

namespace {

using tessera::test::has_evictions;
using tessera::test::is_emulation;
using tessera::test::kLineWords;
using tessera::test::left;
using tessera::test::my_pe;
using tessera::test::right;

constexpr long kOld = 1;
constexpr long kNew = 2;
constexpr int kLoads = 1000;

// Each PE is the owner for its left neighbour, and the origin for its right one.
class Lines : public tessera::test::PublicMemoryTest {
  protected:
    void SetUp() override {
        PublicMemoryTest::SetUp();
        if (shmem_n_pes() == 1 || !is_emulation()) GTEST_SKIP() << "needs others' emulated memory";
        own()[0] = kOld;
        own()[1] = kOld;
        shmem_barrier_all();
        invalidate();
        ASSERT_EQ(theirs()[0], kOld);
        ASSERT_EQ(theirs()[1], kOld);
        shmem_barrier_all();
    }
    static constexpr std::size_t kLineBytes = kLineWords * sizeof(long);

    volatile long* own() const { return words()->data; }
    static volatile long* theirs() { return pointer_to(right())->data; }
    static void write_back() { shmemx_writeback(pointer_to(right())->data, kLineBytes); }
    static void invalidate() { shmemx_invalidate(pointer_to(right())->data, kLineBytes); }
    static long at_right() { return shmem_long_g(words(right())->data, right()); }
};

// Those in which only the program's calls move lines.
class CertainLines : public Lines {
  protected:
    void SetUp() override {
        Lines::SetUp();
        if (has_evictions()) GTEST_SKIP() << "an eviction may move the line";
    }
};

TEST_P(CertainLines, LoadsAreStaleUntilTheyAreInvalidated) {
    own()[0] = kNew;
    shmem_barrier_all();
    shmem_quiet();
    for (int i = 0; i < kLoads; ++i) {
        shmem_long_atomic_fetch(&words()->flag, my_pe());
        ASSERT_EQ(theirs()[0], kOld);
    }
    shmemx_invalidate(&pointer_to(right())->data[kLineWords], kLineBytes);  // the next line
    ASSERT_EQ(theirs()[0], kOld);
    shmemx_invalidate(&pointer_to(right())->data[kLineWords - 1], sizeof(long));
    ASSERT_EQ(theirs()[0], kNew) << "a line goes as a whole";
}

TEST_P(CertainLines, LoadsBeforeTheFirstInvalidateSeeZeros) {
    words()->data[4 * kLineWords] = kNew;
    shmem_barrier_all();
    volatile long* const word = &pointer_to(right())->data[4 * kLineWords];
    EXPECT_NE(*word, kNew);
    shmemx_invalidate(const_cast<long*>(word), sizeof(long));
    EXPECT_EQ(*word, kNew);
}

TEST_P(CertainLines, StoresAreUnseenUntilTheyAreWrittenBack) {
    theirs()[0] = kNew;
    shmem_fence();
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kOld);
    shmemx_invalidate(words()->data, kLineBytes);
    EXPECT_EQ(own()[0], kOld);
    EXPECT_EQ(shmem_long_atomic_fetch(words()->data, my_pe()), kOld);
    shmem_barrier_all();
    shmemx_writeback(&pointer_to(right())->data[kLineWords], kLineBytes);  // the next line
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kOld);
    shmem_barrier_all();
    write_back();
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kNew);
}

// So a program that stores to a part of a line has to invalidate it before.
TEST_P(CertainLines, ALineIsWrittenBackWithItsStaleBytes) {
    own()[1] = kNew;
    shmem_barrier_all();
    theirs()[0] = kNew;
    write_back();
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kNew);
    EXPECT_EQ(own()[1], kOld);
}

TEST_P(CertainLines, LinesWithoutStoresAreNotWrittenBack) {
    own()[1] = kNew;
    shmem_barrier_all();
    write_back();
    shmem_barrier_all();
    EXPECT_EQ(own()[1], kNew);
}

// But it does not tell the owner, as no eviction of caches does.
TEST_P(Lines, InvalidateKeepsStores) {
    theirs()[0] = kNew;
    invalidate();
    EXPECT_EQ(theirs()[0], kNew);
    EXPECT_EQ(at_right(), kNew);
    shmem_barrier_all();
    if (!has_evictions()) {
        EXPECT_EQ(own()[0], kOld);
    }
    shmem_barrier_all();
    write_back();
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kNew);
}

TEST_P(Lines, OperationsOfTheLibraryFindTheProgramsStores) {
    theirs()[0] = kNew;
    EXPECT_EQ(at_right(), kNew);
    theirs()[0] = kNew + 1;
    EXPECT_EQ(shmem_long_atomic_fetch_add(words(right())->data, 1, right()), kNew + 1);
    theirs()[1] = kNew;
    shmem_long_p(&words(right())->data[1], kNew + 1, right());
    write_back();
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kNew + 2);
    EXPECT_EQ(own()[1], kNew + 1) << "the put came behind the store";
}

TEST_P(Lines, LoadsFindWhatOperationsOfTheLibraryHaveStored) {
    shmem_long_p(words(right())->data, kNew, right());
    EXPECT_EQ(theirs()[0], kNew);
    shmem_long_atomic_inc(words(right())->data, right());
    EXPECT_EQ(theirs()[0], kNew + 1);
    const long value = 7;
    shmem_long_put_nbi(&words(right())->data[1], &value, 1, right());
    shmem_quiet();
    EXPECT_EQ(theirs()[1], 7);
}

// With a seed, calls evict lines: a load sees another PE's store without an invalidate, and a store
// goes to the public copy without a writeback. A PE calls until its own store has arrived as well.
TEST_P(Lines, EvictionsMoveLines) {
    if (!has_evictions()) GTEST_SKIP() << "needs a seed";
    own()[1] = kNew;
    shmem_barrier_all();
    while (theirs()[1] != kNew) shmem_long_g(&words()->flag, my_pe());
    theirs()[0] = kNew;
    bool has_come = false;
    while (!has_come || shmem_long_atomic_fetch(&words()->ready, my_pe()) == 0) {
        if (has_come || shmem_long_g(words()->data, my_pe()) != kNew) continue;
        has_come = true;
        shmem_long_atomic_set(&words(left())->ready, 1, left());
    }
}

// The threads of a PE have one view.
TEST_P(CertainLines, ThreadsShareThem) {
    std::thread([] {
        theirs()[0] = kNew;
        theirs()[1] = kNew;
    }).join();
    EXPECT_EQ(theirs()[0], kNew);
    write_back();
    shmem_barrier_all();
    EXPECT_EQ(own()[0], kNew);
    std::thread([this] { own()[0] = kOld; }).join();
    shmem_barrier_all();
    EXPECT_EQ(theirs()[0], kNew);
    std::thread(invalidate).join();
    EXPECT_EQ(theirs()[0], kOld);
}

INSTANTIATE_TEST_SUITE_P(Memory, Lines, tessera::test::all_memory(), tessera::test::memory_name);
INSTANTIATE_TEST_SUITE_P(Memory, CertainLines, tessera::test::all_memory(),
                         tessera::test::memory_name);

}  // namespace

int main(int argc, char** argv) {
    return tessera::test::run_on_emulation(argc, argv, SHMEM_THREAD_MULTIPLE);
}
