// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an accumulate, fetch_op or compare_swap computes a wrong element, changes another
// one, loses an update of another PE or of an atomic on the same word, or is complete too late or
// told complete too early. On single values base/elements_test.cpp looks closer.
#include <shmemx.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

int next_pe() { return (shmem_my_pe() + 1) % shmem_n_pes(); }

// All PEs accumulate onto the same elements of all PEs, with all forms; sums of small numbers are
// exact in every type.
template <class T>
void check_sums(int type, std::size_t count) {
    const int npes = shmem_n_pes();
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0);
    for (const Region& region : regions()) {
        T* dest = reinterpret_cast<T*>(region.data) + 1;
        std::fill(dest - 1, dest + count + 1, T(1));
        shmem_barrier_all();
        std::vector<T> source(count);
        shmemx_req_t req = SHMEMX_REQ_COMPLETE;
        for (int i = 0; i < npes; ++i) {
            const int pe = (shmem_my_pe() + i) % npes;
            std::fill(source.begin(), source.end(), T(1));
            if (i % 3 == 0) {
                shmemx_accumulate(dest, source.data(), count, type, SHMEMX_OP_SUM, pe);
            } else if (i % 3 == 1) {
                shmemx_ctx_accumulate(ctx, dest, source.data(), count, type, SHMEMX_OP_SUM, pe);
            } else {
                shmemx_accumulate_req(dest, source.data(), count, type, SHMEMX_OP_SUM, pe, &req);
                shmemx_req_wait(&req, SHMEMX_LOCAL);
                std::fill(source.begin(), source.end(), T(9));
                shmemx_req_wait(&req, SHMEMX_REMOTE);
            }
            std::fill(source.begin(), source.end(), T(9));  // Reusable.
        }
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        EXPECT_EQ(dest[-1], T(1));
        EXPECT_EQ(dest[count], T(1));
        T sum(1);
        for (int i = 0; i < npes; ++i) sum = static_cast<T>(sum + T(1));
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(dest[i], sum) << type << " " << i;
        shmem_barrier_all();
    }
    shmem_ctx_destroy(ctx);
}

TEST(Accumulate, SumsOfAllTypes) {
    for (std::size_t count : {1, 7, 3000}) {
        check_sums<std::int8_t>(SHMEMX_TYPE_INT8, count);
        check_sums<std::int16_t>(SHMEMX_TYPE_INT16, count);
        check_sums<std::int32_t>(SHMEMX_TYPE_INT32, count);
        check_sums<std::int64_t>(SHMEMX_TYPE_INT64, count);
        check_sums<std::uint8_t>(SHMEMX_TYPE_UINT8, count);
        check_sums<std::uint16_t>(SHMEMX_TYPE_UINT16, count);
        check_sums<std::uint32_t>(SHMEMX_TYPE_UINT32, count);
        check_sums<std::uint64_t>(SHMEMX_TYPE_UINT64, count);
        check_sums<float>(SHMEMX_TYPE_FLOAT, count);
        check_sums<double>(SHMEMX_TYPE_DOUBLE, count);
        check_sums<long double>(SHMEMX_TYPE_LONG_DOUBLE, count);
        check_sums<std::complex<float>>(SHMEMX_TYPE_COMPLEX_FLOAT, count);
        check_sums<std::complex<double>>(SHMEMX_TYPE_COMPLEX_DOUBLE, count);
    }
}

// Complex floats need the alignment of a float: also between the words of 8 bytes.
TEST(Accumulate, ComplexFloatsAcrossWords) {
    auto* dest = static_cast<float*>(shmem_calloc(4, sizeof(float)));
    const std::complex<float> step(1, 2);
    std::complex<float> old(9, 9);
    shmemx_fetch_op(dest + 1, &step, &old, SHMEMX_TYPE_COMPLEX_FLOAT, SHMEMX_OP_SUM, next_pe());
    EXPECT_EQ(old, std::complex<float>());
    shmem_barrier_all();
    EXPECT_EQ(dest[1], 1);
    EXPECT_EQ(dest[2], 2);
    shmem_free(dest);
}

// Each operation, from each PE to the next one.
TEST(Accumulate, AllOperations) {
    constexpr std::size_t kCount = 50;
    auto* dest = static_cast<long*>(shmem_calloc(kCount, sizeof(long)));
    const struct {
        int op;
        long before, operand, after;
    } cases[] = {{SHMEMX_OP_SUM, 12, 10, 22},  {SHMEMX_OP_PROD, 12, 10, 120},
                 {SHMEMX_OP_MIN, 12, 10, 10},  {SHMEMX_OP_MAX, 12, 10, 12},
                 {SHMEMX_OP_AND, 12, 10, 8},   {SHMEMX_OP_OR, 12, 10, 14},
                 {SHMEMX_OP_XOR, 12, 10, 6},   {SHMEMX_OP_REPLACE, 12, 10, 10},
                 {SHMEMX_OP_NO_OP, 12, 10, 12}};
    for (const auto& one : cases) {
        std::fill(dest, dest + kCount, one.before);
        shmem_barrier_all();
        const std::vector<long> source(kCount, one.operand);
        shmemx_accumulate(dest, source.data(), kCount, SHMEMX_TYPE_INT64, one.op, next_pe());
        long fetched = -1;
        shmem_barrier_all();
        for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(dest[i], one.after) << one.op;
        shmem_barrier_all();
        dest[3] = one.before;
        shmem_barrier_all();
        shmemx_fetch_op(dest + 3, &one.operand, &fetched, SHMEMX_TYPE_INT64, one.op, next_pe());
        EXPECT_EQ(fetched, one.before) << one.op;
        shmem_barrier_all();
        EXPECT_EQ(dest[3], one.after) << one.op;
        shmem_barrier_all();
    }
    shmem_free(dest);
}

// Every PE works on the words of PE 0 by all kinds of atomics at once.
TEST(Accumulate, ExcludesAtomicsOnTheSameWords) {
    constexpr std::size_t kCount = 200;
    for (const Region& region : regions()) {
        auto* words = reinterpret_cast<std::uint64_t*>(region.data);
        std::fill(words, words + kCount, 0);
        shmem_barrier_all();
        const int rounds = scaled(200);
        const std::vector<std::uint64_t> ones(kCount, 1);
        const std::uint64_t one = 1;
        std::uint64_t old = 0;
        for (int i = 0; i < rounds; ++i) {
            shmemx_accumulate(words, ones.data(), kCount, SHMEMX_TYPE_UINT64, SHMEMX_OP_SUM, 0);
            const std::size_t at = static_cast<std::size_t>(i) % kCount;
            shmem_uint64_atomic_inc(words + at, 0);
            shmemx_fetch_op(words + at, &one, &old, SHMEMX_TYPE_UINT64, SHMEMX_OP_SUM, 0);
            // Another element within the word: no carry, so the sums do not meet.
            const std::uint8_t high = 1;
            shmemx_accumulate(reinterpret_cast<std::uint8_t*>(words + at) + 7, &high, 1,
                              SHMEMX_TYPE_UINT8, SHMEMX_OP_XOR, 0);
            shmemx_accumulate(reinterpret_cast<std::uint8_t*>(words + at) + 7, &high, 1,
                              SHMEMX_TYPE_UINT8, SHMEMX_OP_XOR, 0);
        }
        shmem_barrier_all();
        if (shmem_my_pe() == 0) {
            const auto npes = static_cast<std::uint64_t>(shmem_n_pes());
            for (std::size_t i = 0; i < kCount; ++i) {
                const auto visits = (static_cast<std::uint64_t>(rounds) + kCount - 1 - i) / kCount;
                EXPECT_EQ(words[i], npes * (static_cast<std::uint64_t>(rounds) + 2 * visits)) << i;
            }
        }
        shmem_barrier_all();
    }
}

// All PEs add to one element at the same time, so often that additions meet.
template <class T>
void check_shared_element(int type) {
    auto* element = static_cast<T*>(shmem_calloc(1, sizeof(T)));
    const long rounds = shmem_ptr(element, 0) != nullptr ? 100'000 : scaled(300);
    const T one = 1;
    for (long i = 0; i < rounds; ++i) shmemx_accumulate(element, &one, 1, type, SHMEMX_OP_SUM, 0);
    static long mine, all;  // symmetric
    mine = rounds;
    shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1);
    if (shmem_my_pe() == 0) {
        EXPECT_EQ(*element, static_cast<T>(all));
    }
    shmem_barrier_all();
    shmem_free(element);
}

// A lock of one or two bytes, between its neighbours.
template <class T>
void check_small_lock(int type) {
    struct Shared {
        T before, lock, after;
        long count;
    };
    auto* shared = static_cast<Shared*>(shmem_calloc(1, sizeof(Shared)));
    const T zero = 0;
    const T one = 1;
    const int rounds = scaled(40);
    for (int i = 0; i < rounds; ++i) {
        T seen = 1;
        do {
            shmemx_compare_swap(&shared->lock, &zero, &one, &seen, type, 0);
        } while (seen != 0);
        shmem_long_p(&shared->count, shmem_long_g(&shared->count, 0) + 1, 0);
        shmem_quiet();
        shmemx_req_t req = SHMEMX_REQ_COMPLETE;
        shmemx_fetch_op_req(&shared->lock, &zero, &seen, type, SHMEMX_OP_REPLACE, 0, &req);
        shmemx_req_wait(&req, SHMEMX_LOCAL);
        EXPECT_EQ(seen, one);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        EXPECT_EQ(shared->count, long{rounds} * shmem_n_pes());
        EXPECT_EQ(shared->before, 0);
        EXPECT_EQ(shared->after, 0);
    }
    shmem_barrier_all();
    shmem_free(shared);
}

TEST(Accumulate, OfAllPesToOneElement) {
    check_shared_element<std::uint64_t>(SHMEMX_TYPE_UINT64);
    check_shared_element<std::uint32_t>(SHMEMX_TYPE_UINT32);
    check_shared_element<std::uint16_t>(SHMEMX_TYPE_UINT16);
    check_shared_element<std::uint8_t>(SHMEMX_TYPE_UINT8);
}

TEST(CompareSwap, MakesLocksOfBytes) {
    check_small_lock<std::int8_t>(SHMEMX_TYPE_INT8);
    check_small_lock<std::uint16_t>(SHMEMX_TYPE_UINT16);
    check_small_lock<std::int32_t>(SHMEMX_TYPE_INT32);
    check_small_lock<std::int64_t>(SHMEMX_TYPE_INT64);
}

TEST(CompareSwap, WithARequestBringsTheOldValue) {
    auto* word = static_cast<short*>(shmem_calloc(4, sizeof(short)));
    const short old = 0;
    const short fresh = 77;
    short seen = -1;
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    shmemx_compare_swap_req(word + 1, &old, &fresh, &seen, SHMEMX_TYPE_INT16, next_pe(), &req);
    shmemx_req_wait(&req, SHMEMX_LOCAL);
    EXPECT_EQ(seen, 0);
    shmemx_ctx_compare_swap_req(SHMEM_CTX_DEFAULT, word + 1, &old, &fresh, &seen, SHMEMX_TYPE_INT16,
                                next_pe(), &req);
    shmemx_req_wait(&req, SHMEMX_REMOTE);
    EXPECT_EQ(seen, 77);
    shmem_barrier_all();
    EXPECT_EQ(word[0], 0);
    EXPECT_EQ(word[1], 77);
    EXPECT_EQ(word[2], 0);
    shmem_barrier_all();
    shmem_free(word);
}

// A PE that sleeps in a wait learns of an accumulate.
TEST(Accumulate, WakesWaiters) {
    auto* word = static_cast<int*>(shmem_calloc(1, sizeof(int)));
    const int one = 1;
    for (int round = 1; round <= scaled(20); ++round) {
        shmemx_accumulate(word, &one, 1, SHMEMX_TYPE_INT32, SHMEMX_OP_SUM, next_pe());
        shmem_int_wait_until(word, SHMEM_CMP_GE, round);
        shmem_quiet();
    }
    shmem_barrier_all();
    shmem_free(word);
}

TEST(Accumulate, OfNothingDoesNothing) {
    shmemx_req_t req = reinterpret_cast<shmemx_req_t>(1);
    shmemx_accumulate_req(nullptr, nullptr, 0, SHMEMX_TYPE_FLOAT, SHMEMX_OP_SUM, 0, &req);
    EXPECT_EQ(req, SHMEMX_REQ_COMPLETE);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
