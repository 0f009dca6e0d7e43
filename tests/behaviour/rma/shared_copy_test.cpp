// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a long put or get that others help with (src/progress/offload.hpp) loses a piece,
// copies one from or to another place, or returns before all of it is there.
#include <shmem.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kBytesMax = 9 * kMiB;
constexpr std::size_t kSpare = 4096;
// From the limit on, whole pieces and others.
constexpr std::size_t kSizes[] = {4 * kMiB - 1, 4 * kMiB,      4 * kMiB + 1,
                                  5 * kMiB,     6 * kMiB + 77, kBytesMax};

// Each PE has a source and a destination in the heap.
class SharedCopy : public testing::Test {
  protected:
    void SetUp() override {
        me_ = shmem_my_pe();
        npes_ = shmem_n_pes();
        source_ = static_cast<char*>(shmem_malloc(kBytesMax + kSpare));
        dest_ = static_cast<char*>(shmem_malloc(kBytesMax + kSpare));
        random_.seed(tessera::test::shared_seed());
    }
    void TearDown() override {
        shmem_free(dest_);
        shmem_free(source_);
    }

    // The same on all PEs.
    std::size_t offset() { return random_() % kSpare; }

    // The source of PE `pe` in round `round`: no piece is like another one.
    static std::vector<std::uint64_t> words(int pe, std::size_t round) {
        std::vector<std::uint64_t> result((kBytesMax + kSpare) / 8);
        std::mt19937_64 random(static_cast<std::uint64_t>(pe) * 1000 + round);
        std::generate(result.begin(), result.end(), random);
        return result;
    }
    void fill_source(std::size_t round) {
        const std::vector<std::uint64_t> mine = words(me_, round);
        std::memcpy(source_, mine.data(), mine.size() * 8);
        std::memset(dest_, 0x5a, kBytesMax + kSpare);
        shmem_barrier_all();
    }
    // `bytes` of PE `pe`'s source from `from` on are at `to` of dest_, and nothing around them.
    void expect_data(int pe, std::size_t round, std::size_t to, std::size_t from,
                     std::size_t bytes) const {
        const std::vector<std::uint64_t> data = words(pe, round);
        const char* expected = reinterpret_cast<const char*>(data.data()) + from;
        const char* end = std::mismatch(dest_ + to, dest_ + to + bytes, expected).first;
        EXPECT_EQ(end - (dest_ + to), static_cast<std::ptrdiff_t>(bytes)) << "of PE " << pe;
        const auto is_untouched = [](char byte) { return byte == 0x5a; };
        EXPECT_TRUE(std::all_of(dest_, dest_ + to, is_untouched));
        EXPECT_TRUE(std::all_of(dest_ + to + bytes, dest_ + kBytesMax + kSpare, is_untouched));
    }

    int me_ = 0, npes_ = 0;
    char* source_ = nullptr;
    char* dest_ = nullptr;
    std::minstd_rand random_;
};

// The others wait, so the one that is put to helps.
TEST_F(SharedCopy, PutsToPesThatWait) {
    std::size_t round = 0;
    for (std::size_t bytes : kSizes) {
        const int from_pe = static_cast<int>(++round) % npes_;
        const int to_pe = (from_pe + 1) % npes_;
        const std::size_t to = offset();
        const std::size_t from = offset();
        fill_source(round);
        if (me_ == from_pe) shmem_putmem(dest_ + to, source_ + from, bytes, to_pe);
        shmem_barrier_all();
        if (me_ == to_pe) expect_data(from_pe, round, to, from, bytes);
        shmem_barrier_all();
    }
}

TEST_F(SharedCopy, GetsFromPesThatWait) {
    std::size_t round = 100;
    for (std::size_t bytes : kSizes) {
        const int to_pe = static_cast<int>(++round) % npes_;
        const int from_pe = (to_pe + 1) % npes_;
        const std::size_t to = offset();
        const std::size_t from = offset();
        const std::vector<std::uint64_t> data = words(from_pe, round);
        const char* expected = reinterpret_cast<const char*>(data.data()) + from;
        fill_source(round);
        if (me_ == to_pe) {
            // Quickly, before the others fall asleep; and looked at before a helper could end a
            // piece that was not waited for, from the end on, where the last pieces are.
            constexpr std::size_t kStep = 65536;
            for (int again = 0; again < 10; ++again) {
                for (std::size_t i = bytes; i > 0; i -= std::min(i, kStep)) dest_[to + i - 1] ^= 1;
                shmem_getmem(dest_ + to, source_ + from, bytes, from_pe);
                for (std::size_t i = bytes; i > 0; i -= std::min(i, kStep))
                    ASSERT_EQ(dest_[to + i - 1], expected[i - 1]) << "byte " << i - 1;
            }
            expect_data(from_pe, round, to, from, bytes);
        }
        shmem_barrier_all();
    }
}

// One PE is asked by all others at the same time, and can help one.
TEST_F(SharedCopy, GetsOfAllFromOne) {
    for (std::size_t round = 200; round < 204; ++round) {
        const int from_pe = static_cast<int>(round) % npes_;
        const std::size_t to = offset();
        fill_source(round);
        if (me_ != from_pe) {
            for (int again = 0; again < 3; ++again)
                shmem_getmem(dest_ + to, source_, kBytesMax, from_pe);
            expect_data(from_pe, round, to, 0, kBytesMax);
        }
        shmem_barrier_all();
    }
}

// No PE waits before its own put is done; then it helps slower PEs.
TEST_F(SharedCopy, PutsOfAllAtOnce) {
    for (std::size_t round = 300; round < 306; ++round) {
        fill_source(round);
        const std::size_t bytes = kSizes[round % std::size(kSizes)];
        for (int again = 0; again < 3; ++again)
            shmem_putmem_nbi(dest_, source_, bytes, (me_ + 1) % npes_);
        shmem_barrier_all();
        expect_data((me_ + npes_ - 1) % npes_, round, 0, 0, bytes);
        shmem_barrier_all();
    }
}

// Copies that cannot be shared: private memory, static data, the PE's own heap.
TEST_F(SharedCopy, OtherMemoryIsCopiedAlone) {
    static char statics[5 * kMiB];
    constexpr std::size_t kBytes = sizeof statics;
    fill_source(400);
    std::vector<char> mine(source_, source_ + kBytes);
    const int right = (me_ + 1) % npes_;
    shmem_putmem(dest_, mine.data(), kBytes, right);
    shmem_barrier_all();
    expect_data((me_ + npes_ - 1) % npes_, 400, 0, 0, kBytes);
    shmem_barrier_all();
    shmem_putmem(statics, source_, kBytes, right);
    shmem_barrier_all();
    std::memset(dest_, 0x5a, kBytesMax + kSpare);
    shmem_putmem(dest_, statics, kBytes, me_);
    expect_data((me_ + npes_ - 1) % npes_, 400, 0, 0, kBytes);
    shmem_barrier_all();
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
