// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a counting put or get moves wrong data, counts wrongly, on the wrong PE or before the
// data is there, when a wait returns too early or never, or when the performance counters of
// networks show what no network has done.
#include <shmemx.h>

#include <cstring>
#include <thread>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::pattern;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

constexpr std::size_t kSlot = 1024;

class Counters : public testing::Test {
  protected:
    void SetUp() override { shmemx_ct_create(&ct_); }
    void TearDown() override {
        shmemx_ct_free(&ct_);
        EXPECT_EQ(ct_, nullptr);
    }
    shmemx_ct_t ct_ = nullptr;
};

TEST_F(Counters, BeginAtZeroAndAreLocalWhenSet) {
    EXPECT_EQ(shmemx_ct_get(ct_), 0);
    shmem_barrier_all();
    shmemx_ct_set(ct_, 100 + shmem_my_pe());
    EXPECT_EQ(shmemx_ct_get(ct_), 100 + shmem_my_pe());
    shmem_barrier_all();
    EXPECT_EQ(shmemx_ct_get(ct_), 100 + shmem_my_pe());
    shmemx_ct_set(ct_, -7);
    EXPECT_EQ(shmemx_ct_get(ct_), -7);
    shmemx_ct_wait(ct_, -8);
    shmemx_ct_wait(ct_, -7);
}

// All put to PE 0, which sees the data of all when it sees their number.
TEST_F(Counters, WaitForPutsOfAll) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    long expected = 0;
    std::size_t round = 0;
    for (const Region& region : regions()) {
        for (int i = 0; i < scaled(40); ++i, ++round) {
            const std::size_t bytes = round * 37 % kSlot;
            unsigned char* slots = region.data;
            if (me == 0) std::memset(slots, kGuard, kSlot * static_cast<std::size_t>(npes));
            shmem_barrier_all();
            unsigned char source[kSlot];
            fill(source, bytes, me, 0, round);
            shmemx_putmem_ct(ct_, slots + kSlot * static_cast<std::size_t>(me), source, bytes, 0);
            if (me != 0) continue;
            expected += npes;
            shmemx_ct_wait(ct_, expected);
            ASSERT_EQ(shmemx_ct_get(ct_), expected);
            for (int pe = 0; pe < npes; ++pe) {
                const unsigned char* slot = slots + kSlot * static_cast<std::size_t>(pe);
                for (std::size_t b = 0; b < bytes; ++b)
                    ASSERT_EQ(slot[b], pattern(pe, 0, round, b)) << region.kind;
                ASSERT_EQ(slot[bytes], bytes == kSlot ? slot[bytes] : kGuard);
            }
        }
    }
    shmem_barrier_all();
    if (me != 0) {
        EXPECT_EQ(shmemx_ct_get(ct_), 0);  // No PE put here.
    }
}

// The owner may overwrite what has been read once it has been counted.
TEST_F(Counters, WaitForGetsOfAll) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    const int right = (me + 1) % npes;
    const Region& region = regions()[0];
    for (int round = 0; round < scaled(200); ++round) {
        const std::size_t bytes = 1 + static_cast<std::size_t>(round) * 53 % kSlot;
        fill(region.data, bytes, me, 0, static_cast<std::size_t>(round));
        shmem_barrier_all();
        unsigned char dest[kSlot];
        shmemx_getmem_ct(ct_, dest, region.data, bytes, right);
        shmemx_ct_wait(ct_, round + 1);
        std::memset(region.data, kGuard, bytes);
        for (std::size_t b = 0; b < bytes; ++b)
            ASSERT_EQ(dest[b], pattern(right, 0, static_cast<std::size_t>(round), b));
        shmem_barrier_all();
        ASSERT_EQ(shmemx_ct_get(ct_), round + 1);
    }
}

// Large copies take a while, and the other PE looks at their end as soon as they are counted. In
// turns PEs of even and of odd number move data; so a PE that moves none is waiting already.
constexpr std::size_t kLargeBytes = tessera::test::kRegionBytes / 2;

TEST_F(Counters, CountNeverOvertakesALargePut) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    unsigned char* dest = regions()[0].data;
    Bytes source(kLargeBytes);
    Bytes expected(kLargeBytes);
    long count = 0;
    for (int round = 0; round < 2 * scaled(20); ++round) {
        const auto number = static_cast<std::size_t>(round);
        fill(source.data(), kLargeBytes, me, right, number);
        fill(expected.data(), kLargeBytes, left, me, number);
        std::memset(dest, kGuard, kLargeBytes);
        shmem_barrier_all();
        if (me % 2 == round % 2) shmemx_putmem_ct(ct_, dest, source.data(), kLargeBytes, right);
        if (left % 2 != round % 2) continue;
        shmemx_ct_wait(ct_, ++count);
        ASSERT_EQ(dest[kLargeBytes - 1], expected[kLargeBytes - 1]);
        ASSERT_EQ(difference(dest, expected.data(), kLargeBytes), "");
    }
}

TEST_F(Counters, CountNeverOvertakesALargeGet) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    unsigned char* source = regions()[0].data;
    Bytes dest(kLargeBytes);
    Bytes expected(kLargeBytes);
    long count = 0;
    for (int round = 0; round < 2 * scaled(20); ++round) {
        const auto number = static_cast<std::size_t>(round);
        shmem_barrier_all();
        fill(source, kLargeBytes, me, 0, number);
        fill(expected.data(), kLargeBytes, right, 0, number);
        shmem_barrier_all();
        const bool gets = me % 2 == round % 2;
        if (gets) shmemx_getmem_ct(ct_, dest.data(), source, kLargeBytes, right);
        if (left % 2 == round % 2) {
            shmemx_ct_wait(ct_, ++count);
            source[kLargeBytes - 1] = kGuard;  // No PE needs it any more.
            std::memset(source, kGuard, kLargeBytes);
        }
        if (gets) {
            ASSERT_EQ(difference(dest.data(), expected.data(), kLargeBytes), "");
        }
    }
}

TEST_F(Counters, NothingToMoveIsCounted) {
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    shmemx_putmem_ct(ct_, nullptr, nullptr, 0, right);
    shmemx_getmem_ct(ct_, nullptr, nullptr, 0, right);
    shmemx_ct_wait(ct_, 2);
    shmem_barrier_all();
    EXPECT_EQ(shmemx_ct_get(ct_), 2);
}

// A wait is for "at least", and as signed numbers. PEs of odd number ask the one before to count,
// and wait at once: one that returns too early finds a negative number.
TEST_F(Counters, WaitIsSignedAndAtLeast) {
    static long asked;
    const int me = shmem_my_pe();
    for (int round = 0; round < scaled(100); ++round) {
        shmemx_ct_set(ct_, -2);
        shmem_barrier_all();
        if (me % 2 == 1) {
            shmem_long_p(&asked, round + 1, me - 1);
            shmemx_ct_wait(ct_, 0);
            ASSERT_GE(shmemx_ct_get(ct_), 0);
        } else if (me + 1 < shmem_n_pes()) {
            shmem_long_wait_until(&asked, SHMEM_CMP_GT, round);
            for (int i = 0; i < 3; ++i) shmemx_putmem_ct(ct_, nullptr, nullptr, 0, me + 1);
        }
        shmem_barrier_all();
        const long now = me % 2 == 1 ? 1 : -2;
        ASSERT_EQ(shmemx_ct_get(ct_), now);
        shmemx_ct_wait(ct_, now);
        shmemx_ct_wait(ct_, -100);
        shmem_barrier_all();
    }
}

// Several exist at a time and are different words.
TEST_F(Counters, AreIndependent) {
    std::vector<shmemx_ct_t> counters(5);
    for (shmemx_ct_t& ct : counters) shmemx_ct_create(&ct);
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    for (std::size_t i = 0; i < counters.size(); ++i) {
        for (std::size_t n = 0; n < i; ++n)
            shmemx_putmem_ct(counters[i], nullptr, nullptr, 0, right);
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < counters.size(); ++i)
        EXPECT_EQ(shmemx_ct_get(counters[i]), static_cast<long>(i));
    for (shmemx_ct_t& ct : counters) shmemx_ct_free(&ct);
    EXPECT_EQ(shmemx_ct_get(ct_), 0);
}

// A thread that waits sees what another thread of its PE sets.
TEST_F(Counters, SetEndsTheWaitOfAnotherThread) {
    std::thread waiter([this] { shmemx_ct_wait(ct_, 5); });
    shmemx_ct_set(ct_, 5);
    waiter.join();
    EXPECT_EQ(shmemx_ct_get(ct_), 5);
}

TEST(PerformanceCounters, CountNetworksOnly) {
    static long words[2];  // one for each context
    static long other;
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(0, &ctx), 0);
    for (shmem_ctx_t context : {SHMEM_CTX_DEFAULT, ctx}) {
        shmem_ctx_long_p(context, &words[context == ctx ? 1 : 0], 1, right);
        shmem_ctx_long_g(context, &other, right);
        std::uint64_t value = 99;
        shmemx_pcntr_get_issued_write(context, &value);
        EXPECT_EQ(value, 0U);
        value = 99;
        shmemx_pcntr_get_issued_read(context, &value);
        EXPECT_EQ(value, 0U);
        value = 99;
        shmemx_pcntr_get_completed_write(context, &value);
        EXPECT_EQ(value, 0U);
        value = 99;
        shmemx_pcntr_get_completed_read(context, &value);
        EXPECT_EQ(value, 0U);
        value = 99;
        shmemx_pcntr_get_completed_target(&value);
        EXPECT_EQ(value, 0U);
        shmemx_pcntr_t all;
        std::memset(&all, 0x55, sizeof all);
        shmemx_pcntr_get_all(context, &all);
        EXPECT_EQ(all.pending_put, 0U);
        EXPECT_EQ(all.pending_get, 0U);
        EXPECT_EQ(all.completed_put, 0U);
        EXPECT_EQ(all.completed_get, 0U);
        EXPECT_EQ(all.target, 0U);
    }
    shmem_ctx_destroy(ctx);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
