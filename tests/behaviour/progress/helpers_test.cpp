// SPDX-License-Identifier: BSD-3-Clause
//
// Long nonblocking operations with helpers (SHMEM_PROGRESS=helpers), on a node and between nodes,
// and everything that completes or orders them. The runs force helpers and let them have all sizes
// from 4 KiB on. The program is right without helpers, too.
#include <gtest/gtest.h>
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20;
constexpr std::size_t kBytesMax = 3 * kMebi + 17;
constexpr std::size_t kSizes[] = {4096, 5001, 65536, kMebi + 3, kBytesMax};
constexpr int kRounds = 20;

std::uint64_t statics[2048];  // 16 KiB

int me() { return shmem_my_pe(); }
int next() { return (me() + 1) % shmem_n_pes(); }
int previous() { return (me() + shmem_n_pes() - 1) % shmem_n_pes(); }

char value_at(std::size_t i, int seed) {
    return static_cast<char>(i * 7 + i / 251 + static_cast<std::size_t>(seed) * 31 + 1);
}
void fill(char* memory, std::size_t bytes, int seed) {
    for (std::size_t i = 0; i < bytes; ++i) memory[i] = value_at(i, seed);
}
// The number of a wrong byte, or `bytes`. The last byte comes first: the beginning of data that is
// still under way arrives before a loop from there finds it missing.
std::size_t a_wrong_byte(const char* memory, std::size_t bytes, int seed) {
    if (memory[bytes - 1] != value_at(bytes - 1, seed)) return bytes - 1;
    std::size_t i = 0;
    while (i < bytes && memory[i] == value_at(i, seed)) ++i;
    return i;
}

class Helpers : public testing::Test {
  protected:
    void SetUp() override {
        source_ = static_cast<char*>(shmem_malloc(kBytesMax));
        dest_ = static_cast<char*>(shmem_malloc(kBytesMax));
        signal_ = static_cast<std::uint64_t*>(shmem_calloc(2, sizeof(std::uint64_t)));
        ASSERT_NE(signal_, nullptr);
    }
    void TearDown() override {
        shmem_free(signal_);
        shmem_free(dest_);
        shmem_free(source_);
    }

    char* source_ = nullptr;
    char* dest_ = nullptr;
    std::uint64_t* signal_ = nullptr;
};

TEST_F(Helpers, QuietCompletesPuts) {
    std::vector<char> own(kBytesMax);
    for (std::size_t bytes : kSizes) {
        for (char* source : {source_, own.data()}) {
            fill(source, bytes, me());
            std::memset(dest_, 0, bytes);
            shmem_barrier_all();
            shmem_putmem_nbi(dest_, source, bytes, next());
            shmem_quiet();
            std::memset(source, 0, bytes);  // The source is ours again.
            shmem_sync_all();
            EXPECT_EQ(a_wrong_byte(dest_, bytes, previous()), bytes);
            shmem_sync_all();
        }
    }
}

// The PE calls nothing until all bytes are there; so without helpers they must be there at once.
TEST_F(Helpers, CopiesArriveWhileThePeComputes) {
    for (std::size_t bytes : kSizes) {
        fill(source_, bytes, me());
        std::memset(dest_, 0, bytes);
        shmem_putmem_nbi(dest_, source_, bytes, me());
        for (std::size_t i = 0; i < bytes;) {
            if (static_cast<volatile char*>(dest_)[i] == value_at(i, me())) {
                ++i;
            } else {
                sched_yield();
            }
        }
        shmem_quiet();
    }
}

// The same of gets. The PE behind computes, too, so no program drives the transfer.
TEST_F(Helpers, GetsArriveWhileThePesCompute) {
    for (std::size_t bytes : kSizes) {
        fill(source_, bytes, me());
        std::memset(dest_, 0, bytes);
        shmem_barrier_all();
        shmem_getmem_nbi(dest_, source_, bytes, next());
        for (std::size_t i = 0; i < bytes;) {
            if (static_cast<volatile char*>(dest_)[i] == value_at(i, next())) {
                ++i;
            } else {
                sched_yield();
            }
        }
        shmem_barrier_all();
    }
}

// A PE hands over its data and computes until the next one, which has got it, says so.
TEST_F(Helpers, SignalsArriveWhileTheSenderComputes) {
    if (shmem_n_pes() == 1) GTEST_SKIP() << "no other PE answers";
    for (int round = 1; round <= kRounds; ++round) {
        const auto number = static_cast<std::uint64_t>(round);
        for (int turn = 0; turn < 2; ++turn) {
            if (me() % 2 == turn) {
                fill(source_, kMebi, me() + round);
                shmem_putmem_signal_nbi(dest_, source_, kMebi, signal_, number, SHMEM_SIGNAL_SET,
                                        next());
                while (static_cast<volatile std::uint64_t*>(signal_)[1] != number) sched_yield();
            }
            if (previous() % 2 == turn) {
                shmem_signal_wait_until(signal_, SHMEM_CMP_EQ, number);
                ASSERT_EQ(a_wrong_byte(dest_, kMebi, previous() + round), kMebi);
                shmem_uint64_p(signal_ + 1, number, previous());
                shmem_quiet();
            }
            shmem_barrier_all();
        }
    }
}

TEST_F(Helpers, QuietCompletesGets) {
    std::vector<char> own(kBytesMax);
    for (std::size_t bytes : kSizes) {
        for (char* dest : {dest_, own.data()}) {
            fill(source_, bytes, me());
            std::memset(dest, 0, bytes);
            shmem_barrier_all();
            shmem_getmem_nbi(dest, source_, bytes, next());
            shmem_quiet();
            EXPECT_EQ(a_wrong_byte(dest, bytes, next()), bytes);
            shmem_barrier_all();
        }
    }
}

TEST_F(Helpers, BarrierCompletesPutsToAll) {
    const int npes = shmem_n_pes();
    const std::size_t bytes = kBytesMax / static_cast<std::size_t>(npes);
    for (int round = 0; round < kRounds; ++round) {
        fill(source_, bytes, me() + round);
        for (int pe = 0; pe < npes; ++pe)
            shmem_putmem_nbi(dest_ + static_cast<std::size_t>(me()) * bytes, source_, bytes, pe);
        shmem_barrier_all();
        for (int pe = 0; pe < npes; ++pe) {
            const char* part = dest_ + static_cast<std::size_t>(pe) * bytes;
            ASSERT_EQ(a_wrong_byte(part, bytes, pe + round), bytes) << "of PE " << pe;
        }
        shmem_barrier_all();
    }
}

// More operations than a ring has entries: the PE does the rest itself.
TEST_F(Helpers, ManyOperationsAtOnce) {
    constexpr std::size_t kBytes = 4096;
    constexpr std::size_t kCount = 300;
    std::vector<char> got(kCount * kBytes);
    for (std::size_t i = 0; i < kCount; ++i)
        fill(source_ + i * kBytes, kBytes, me() + static_cast<int>(i));
    shmem_barrier_all();
    for (std::size_t i = 0; i < kCount; ++i) {
        shmem_putmem_nbi(dest_ + i * kBytes, source_ + i * kBytes, kBytes, next());
        shmem_getmem_nbi(got.data() + i * kBytes, source_ + i * kBytes, kBytes, next());
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < kCount; ++i) {
        const int number = static_cast<int>(i);
        ASSERT_EQ(a_wrong_byte(dest_ + i * kBytes, kBytes, previous() + number), kBytes) << i;
        ASSERT_EQ(a_wrong_byte(got.data() + i * kBytes, kBytes, next() + number), kBytes) << i;
    }
}

// Behind a fence the PE stores itself: an atomic, a word and a short put.
TEST_F(Helpers, FenceOrdersPutsBeforeWhatThePeSends) {
    for (int round = 1; round <= kRounds; ++round) {
        const std::size_t bytes = kSizes[static_cast<std::size_t>(round) % std::size(kSizes)];
        const auto number = static_cast<std::uint64_t>(round);
        fill(source_, bytes, me() + round);
        shmem_putmem_nbi(dest_, source_, bytes, next());
        shmem_fence();
        if (round % 2 == 0) {
            shmem_uint64_atomic_set(signal_, number, next());
        } else {
            shmem_uint64_p(signal_, number, next());
        }
        shmem_uint64_wait_until(signal_, SHMEM_CMP_EQ, number);
        ASSERT_EQ(a_wrong_byte(dest_, bytes, previous() + round), bytes) << "round " << round;
        shmem_barrier_all();
    }
}

// In front of the fence the PE sends words itself; behind it is a long put, which a helper may do.
TEST_F(Helpers, FenceOrdersWhatThePeSendsBeforePuts) {
    constexpr std::size_t kWords = 500;
    auto* const words = reinterpret_cast<std::uint64_t*>(source_);
    auto* const there = reinterpret_cast<std::uint64_t*>(dest_);
    const std::size_t last = kMebi / sizeof(std::uint64_t) - 1;
    for (int round = 1; round <= kRounds; ++round) {
        const auto number = static_cast<std::uint64_t>(round);
        for (std::size_t i = 0; i <= last; ++i) words[i] = number;
        shmem_barrier_all();
        auto* const flags = reinterpret_cast<std::uint64_t*>(dest_ + 2 * kMebi);
        for (std::size_t i = 0; i < kWords; ++i) shmem_uint64_p(flags + i, number, next());
        shmem_fence();
        shmem_uint64_put_nbi(there, words, last + 1, next());
        shmem_uint64_wait_until(there + last, SHMEM_CMP_EQ, number);
        for (std::size_t i = 0; i < kWords; ++i)
            ASSERT_EQ(flags[i], number) << "word " << i << ", round " << round;
        shmem_barrier_all();
    }
}

TEST_F(Helpers, SignalComesBehindItsData) {
    for (int round = 1; round <= kRounds; ++round) {
        const std::size_t bytes = kSizes[static_cast<std::size_t>(round) % std::size(kSizes)];
        const int op = round % 2 == 0 ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
        const auto number = static_cast<std::uint64_t>(round);
        fill(source_, bytes, me() + round);
        shmem_putmem_signal_nbi(dest_, source_, bytes, signal_, op == SHMEM_SIGNAL_SET ? number : 1,
                                op, next());
        EXPECT_EQ(shmem_signal_wait_until(signal_, SHMEM_CMP_EQ, number), number);
        ASSERT_EQ(a_wrong_byte(dest_, bytes, previous() + round), bytes) << "round " << round;
        shmem_barrier_all();
    }
}

// The signal's word in static data, which helpers do not have.
TEST_F(Helpers, SignalInStaticData) {
    constexpr std::size_t kBytes = 65536;
    statics[0] = 0;
    shmem_barrier_all();
    fill(source_, kBytes, me());
    shmem_putmem_signal_nbi(dest_, source_, kBytes, statics, 1, SHMEM_SIGNAL_SET, next());
    shmem_signal_wait_until(statics, SHMEM_CMP_EQ, 1);
    EXPECT_EQ(a_wrong_byte(dest_, kBytes, previous()), kBytes);
}

TEST_F(Helpers, StaticDataOnBothSides) {
    static std::uint64_t source[std::size(statics)];
    for (std::size_t i = 0; i < std::size(source); ++i) source[i] = i + static_cast<unsigned>(me());
    shmem_barrier_all();
    shmem_uint64_put_nbi(statics, source, std::size(source), next());
    shmem_barrier_all();
    for (std::size_t i = 0; i < std::size(source); ++i)
        ASSERT_EQ(statics[i], i + static_cast<unsigned>(previous()));
}

TEST_F(Helpers, RequestsCompleteOneByOne) {
    constexpr std::size_t kBytes = 8192;
    constexpr std::size_t kCount = 200;  // more than helpers take
    std::vector<shmemx_req_t> requests(kCount);
    std::vector<char> got(kCount * kBytes);
    for (std::size_t i = 0; i < kCount; ++i)
        fill(source_ + i * kBytes, kBytes, me() + static_cast<int>(i));
    shmem_barrier_all();
    for (std::size_t i = 0; i < kCount; ++i) {
        shmemx_getmem_req(got.data() + i * kBytes, source_ + i * kBytes, kBytes, next(),
                          &requests[i]);
    }
    for (std::size_t i = kCount; i-- > 0;) {
        shmemx_req_wait(&requests[i], SHMEMX_REMOTE);
        EXPECT_EQ(requests[i], SHMEMX_REQ_COMPLETE);
        ASSERT_EQ(a_wrong_byte(got.data() + i * kBytes, kBytes, next() + static_cast<int>(i)),
                  kBytes);
    }
    for (std::size_t i = 0; i < kCount; ++i)
        shmemx_putmem_req(dest_ + i * kBytes, source_ + i * kBytes, kBytes, next(), &requests[i]);
    for (shmemx_req_t& request : requests) shmemx_req_wait(&request, SHMEMX_REMOTE);
    shmem_sync_all();
    for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(a_wrong_byte(dest_ + i * kBytes, kBytes, previous() + static_cast<int>(i)),
                  kBytes);
    }
    shmem_barrier_all();
    fill(source_, kMebi, me() + 99);
    shmemx_putmem_signal_req(dest_, source_, kMebi, signal_, 1, SHMEM_SIGNAL_SET, next(),
                             requests.data());
    shmem_signal_wait_until(signal_, SHMEM_CMP_EQ, 1);
    EXPECT_EQ(a_wrong_byte(dest_, kMebi, previous() + 99), kMebi);
    shmemx_req_wait(requests.data(), SHMEMX_REMOTE);
}

TEST_F(Helpers, RequestsGivenUpEndWithTheirOperation) {
    shmemx_req_t request;
    fill(source_, kMebi, me());
    shmem_barrier_all();
    shmemx_putmem_req(dest_, source_, kMebi, next(), &request);
    shmemx_req_free(&request);
    shmem_barrier_all();
    EXPECT_EQ(a_wrong_byte(dest_, kMebi, previous()), kMebi);
}

TEST_F(Helpers, ContextsCompleteTheirOwn) {
    shmem_ctx_t contexts[2];
    for (shmem_ctx_t& ctx : contexts) ASSERT_EQ(shmem_ctx_create(0, &ctx), 0);
    for (int round = 0; round < kRounds; ++round) {
        fill(source_, 2 * kMebi, me() + round);
        shmem_barrier_all();
        for (std::size_t i = 0; i < 2; ++i) {
            shmem_ctx_putmem_nbi(contexts[i], dest_ + i * kMebi, source_ + i * kMebi, kMebi,
                                 next());
        }
        shmem_ctx_quiet(contexts[0]);
        shmem_ctx_fence(contexts[1]);
        shmem_ctx_uint64_atomic_inc(contexts[1], signal_, next());
        shmem_uint64_wait_until(signal_, SHMEM_CMP_EQ, static_cast<std::uint64_t>(round) + 1);
        ASSERT_EQ(a_wrong_byte(dest_, 2 * kMebi, previous() + round), 2 * kMebi);
    }
    for (shmem_ctx_t ctx : contexts) shmem_ctx_destroy(ctx);
}

// Rows of an array of three dimensions, in the heap and in private memory; source rows come in the
// opposite order. Sections of more dimensions than an entry of the ring has are the PE's.
TEST_F(Helpers, SectionsTravelByRows) {
    constexpr std::size_t kRow = 64, kRows = 40, kPlanes = 30;
    constexpr std::size_t kBytes = kRow * kRows * kPlanes;
    constexpr auto kRowBytes = static_cast<std::ptrdiff_t>(kRow);
    constexpr auto kPlaneBytes = static_cast<std::ptrdiff_t>(kRow * kRows);
    std::vector<char> own(kBytes);
    const std::size_t extents[] = {kPlanes, kRows, kRow / 4, 2};
    const std::ptrdiff_t there[] = {2 * kPlaneBytes, 2 * kRowBytes, 4, 1};
    const std::ptrdiff_t here[] = {kPlaneBytes, -kRowBytes, 4, 1};
    for (const int ndims : {3, 4}) {
        for (char* source : {source_, own.data()}) {
            fill(source, kBytes, me());
            std::memset(dest_, 0, 4 * kBytes);
            shmem_barrier_all();
            shmemx_req_t request = SHMEMX_REQ_COMPLETE;
            shmemx_put_strided_req(dest_, there, source + kPlaneBytes - kRowBytes, here, extents,
                                   ndims, ndims == 3 ? 4 : 1, next(), &request);
            shmemx_req_wait(&request, SHMEMX_REMOTE);
            shmem_barrier_all();
            for (std::size_t i = 0; i < kBytes; ++i) {
                const std::size_t plane = i / (kRow * kRows);
                const std::size_t row = i / kRow % kRows;
                const std::size_t column = i % kRow;
                const std::size_t to = plane * 2 * kRow * kRows + row * 2 * kRow + column;
                const std::size_t from = plane * kRow * kRows + (kRows - 1 - row) * kRow + column;
                const bool is_put = ndims == 3 || column % 4 < 2;
                ASSERT_EQ(dest_[to], is_put ? value_at(from, previous()) : 0) << i;
            }
            // And back, by a quiet.
            std::memset(source, 0, kBytes);
            shmemx_get_strided_nbi(source + kPlaneBytes - kRowBytes, here, dest_, there, extents,
                                   ndims, ndims == 3 ? 4 : 1, next());
            shmem_quiet();
            for (std::size_t i = 0; i < kBytes; ++i) {
                const bool is_got = ndims == 3 || i % 4 < 2;
                ASSERT_EQ(source[i], is_got ? value_at(i, me()) : 0) << i;
            }
            shmem_barrier_all();
        }
    }
}

// Memory that no helper maps: the kernel copies, also where the other side is private, too.
TEST_F(Helpers, RegisteredMemory) {
    constexpr std::size_t kBytes = kMebi + 4099;
    constexpr std::size_t kOffset = 77;
    std::vector<char> mine(kBytes + kOffset);
    std::vector<char> own(kBytes);
    shmemx_segment_t segment = SHMEMX_SEGMENT_INVALID;
    shmemx_register(SHMEM_TEAM_WORLD, mine.data(), mine.size(), &segment);
    const shmemx_gptr_t gptr = shmemx_segment_gptr(segment, next());
    char* theirs = static_cast<char*>(shmemx_gptr_addr(gptr)) + kOffset;
    for (int round = 0; round < 5; ++round) {
        for (char* source : {source_, own.data()}) {
            fill(source, kBytes, me() + round);
            std::memset(mine.data(), 0, mine.size());
            shmem_barrier_all();
            shmem_putmem_nbi(theirs, source, kBytes, next());
            shmem_barrier_all();
            ASSERT_EQ(a_wrong_byte(mine.data() + kOffset, kBytes, previous() + round), kBytes);
            std::memset(source, 0, kBytes);
            shmemx_req_t request = SHMEMX_REQ_COMPLETE;
            shmemx_getmem_req(source, theirs, kBytes, next(), &request);
            shmemx_req_wait(&request, SHMEMX_REMOTE);
            ASSERT_EQ(a_wrong_byte(source, kBytes, me() + round), kBytes);
            std::memset(mine.data(), 0, kOffset);
            shmem_barrier_all();
            fill(source, kBytes, me() + round);
            shmem_putmem_signal_nbi(theirs, source, kBytes, signal_, 1, SHMEM_SIGNAL_ADD, next());
            shmem_signal_wait_until(signal_, SHMEM_CMP_EQ, 1);
            ASSERT_EQ(a_wrong_byte(mine.data() + kOffset, kBytes, previous() + round), kBytes);
            *signal_ = 0;
            shmem_barrier_all();
        }
    }
    shmemx_deregister(segment);
}

TEST_F(Helpers, TeamMemoryAndLocalMemory) {
    constexpr std::size_t kBytes = kMebi;
    auto* team_memory = static_cast<char*>(shmemx_team_malloc(SHMEM_TEAM_WORLD, kBytes));
    auto* local_memory = static_cast<char*>(shmemx_local_malloc(kBytes));
    ASSERT_NE(team_memory, nullptr);
    ASSERT_NE(local_memory, nullptr);
    fill(local_memory, kBytes, me());
    shmem_barrier_all();
    shmem_putmem_nbi(team_memory, local_memory, kBytes, next());
    shmem_barrier_all();
    EXPECT_EQ(a_wrong_byte(team_memory, kBytes, previous()), kBytes);
    shmem_barrier_all();
    shmemx_local_free(local_memory);
    shmemx_team_free(SHMEM_TEAM_WORLD, team_memory);
}

// Blocking copies that helpers take pieces of (SHMEM_SHARED_COPIES=always), in all kinds of memory.
TEST_F(Helpers, VeryLongBlockingCopies) {
    constexpr std::size_t kBytes = 5 * kMebi + 3;
    auto* symmetric = static_cast<char*>(shmem_malloc(kBytes));
    ASSERT_NE(symmetric, nullptr);
    std::vector<char> own(kBytes);
    static char in_statics[kBytes];
    for (int round = 0; round < 4; ++round) {
        for (char* source : {own.data(), in_statics}) {
            fill(source, kBytes, me() + round);
            shmem_sync_all();
            shmem_putmem(symmetric, source, kBytes, next());
            std::memset(source, 0, kBytes);  // The source is ours again.
            shmem_barrier_all();
            ASSERT_EQ(a_wrong_byte(symmetric, kBytes, previous() + round), kBytes);
            shmem_getmem(source, symmetric, kBytes, next());
            ASSERT_EQ(a_wrong_byte(source, kBytes, me() + round), kBytes);
            shmem_sync_all();
        }
    }
    shmem_free(symmetric);
}

// Collectives use put and get of their own, and look at the data without a quiet.
TEST_F(Helpers, CollectivesDoNotUseThem) {
    constexpr std::size_t kBytes = 100000;
    const int npes = shmem_n_pes();
    for (int root = 0; root < npes; ++root) {
        fill(source_, kBytes, me());
        shmem_barrier_all();
        shmem_broadcastmem(SHMEM_TEAM_WORLD, dest_, source_, kBytes, root);
        ASSERT_EQ(a_wrong_byte(dest_, kBytes, root), kBytes);
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
