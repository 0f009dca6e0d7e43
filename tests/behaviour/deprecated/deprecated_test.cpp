// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a routine, constant or header that the specification deprecates but still requires is
// gone or does something else than its successor. Active sets are in collectives_test.cpp,
// start_pes without finalize in exit_test.py.
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>

#include <array>
#include <cstring>
#include <limits>

#include "support/atomic_forms.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"
#include "support/wait_forms.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::same_bits;
using tessera::test::scaled;

// fetch, set and swap of one type, shmem_ or pshmem_.
template <class T>
struct OldExtended {
    const char* name;
    T (*fetch)(const T* source, int pe);
    void (*set)(T* dest, T value, int pe);
    T (*swap)(T* dest, T value, int pe);
};

template <class T>
void check_extended(const OldExtended<T>& atomics, const Region& region) {
    T* word = reinterpret_cast<T*>(region.data) + shmem_my_pe();
    const T values[] = {T{1} / T{3}, std::numeric_limits<T>::lowest(),
                        std::numeric_limits<T>::max()};
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        for (T value : values) {
            atomics.set(word, value, pe);
            shmem_quiet();
            ASSERT_TRUE(same_bits(atomics.fetch(word, pe), value)) << atomics.name;
            ASSERT_TRUE(same_bits(atomics.swap(word, T{7}, pe), value)) << atomics.name;
            ASSERT_TRUE(same_bits(atomics.fetch(word, pe), T{7})) << atomics.name;
        }
    }
    shmem_barrier_all();
}

#define OLD_EXTENDED(X, T) OldExtended<T>{#X, X##fetch, X##set, X##swap},

TEST(Deprecated, AtomicsFetchSetSwap) {
#define CHECK(NAME, T)                                                                     \
    for (const auto& atomics :                                                             \
         std::array{OLD_EXTENDED(shmem_##NAME##_, T) OLD_EXTENDED(pshmem_##NAME##_, T)}) { \
        for (const Region& region : regions()) check_extended<T>(atomics, region);         \
    }
    SPEC_OLD_EXTENDED_TYPES(CHECK)
#undef CHECK
}

// The others of one type, shmem_ or pshmem_.
template <class T>
struct OldStandard {
    const char* name;
    T (*cswap)(T* dest, T cond, T value, int pe);
    T (*finc)(T* dest, int pe);
    void (*inc)(T* dest, int pe);
    T (*fadd)(T* dest, T value, int pe);
    void (*add)(T* dest, T value, int pe);
};
#define OLD_STANDARD(X, T) OldStandard<T>{#X, X##cswap, X##finc, X##inc, X##fadd, X##add},

// All PEs add to the same word: the sum shows that nothing was lost.
template <class T>
void check_standard(const OldStandard<T>& atomics, const Region& region) {
    T* words = reinterpret_cast<T*>(region.data);
    words[0] = words[1] = T{};
    shmem_barrier_all();
    const int steps = scaled(200);
    for (int i = 0; i < steps; ++i) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            atomics.add(words, T{5}, pe);
            atomics.inc(words, pe);
            ASSERT_GE(atomics.fadd(words, T{3}, pe), T{0});
            ASSERT_GE(atomics.finc(words, pe), T{0});
        }
    }
    T seen = atomics.cswap(&words[1], T{0}, static_cast<T>(shmem_my_pe() + 1), 0);
    shmem_barrier_all();
    ASSERT_EQ(words[0], static_cast<T>(10 * steps * shmem_n_pes())) << atomics.name << region.kind;
    const T winner = atomics.cswap(&words[1], T{-1}, T{0}, 0);
    ASSERT_TRUE(winner >= 1 && winner <= shmem_n_pes()) << winner;
    ASSERT_EQ(seen, winner == shmem_my_pe() + 1 ? T{0} : winner) << atomics.name;
    shmem_barrier_all();
    T before = words[1];
    ASSERT_EQ(atomics.finc(&words[1], shmem_my_pe()), before);
    ASSERT_EQ(atomics.fadd(&words[1], T{10}, shmem_my_pe()), before + 1);
    ASSERT_EQ(atomics.cswap(&words[1], before + 11, before, shmem_my_pe()), before + 11);
    ASSERT_EQ(words[1], before);
    shmem_barrier_all();
}

TEST(Deprecated, AtomicsAddIncrementCompareSwap) {
#define CHECK(NAME, T)                                                                     \
    for (const auto& atomics :                                                             \
         std::array{OLD_STANDARD(shmem_##NAME##_, T) OLD_STANDARD(pshmem_##NAME##_, T)}) { \
        for (const Region& region : regions()) check_standard<T>(atomics, region);         \
    }
    SPEC_OLD_STANDARD_TYPES(CHECK)
#undef CHECK
}

template <class T>
struct OldWait {
    const char* name;
    void (*wait_until)(T* ivar, int cmp, T value);
    int (*test)(T* ivar, int cmp, T value);
    void (*p)(T* dest, T value, int pe);
};
#define SHORT_WAIT(P, NAME, T) \
    OldWait<T>{#NAME, P##shmem_##NAME##_wait_until, P##shmem_##NAME##_test, shmem_##NAME##_p},

// Words that programs of version 1.4 change by p and put, and wait for.
template <class T>
void check_short(const OldWait<T>& waits, const Region& region) {
    T* word = reinterpret_cast<T*>(region.data);
    for (T value : {T{0}, T{1}, static_cast<T>(~0), std::numeric_limits<T>::max()}) {
        for (T other : {T{0}, T{1}, static_cast<T>(~0), std::numeric_limits<T>::min()}) {
            for (int cmp : tessera::test::kComparisons) {
                *word = value;
                bool expected = tessera::test::holds(value, cmp, other);
                ASSERT_EQ(waits.test(word, cmp, other), expected ? 1 : 0) << waits.name;
                if (expected) waits.wait_until(word, cmp, other);
            }
        }
    }
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    *word = 0;
    shmem_barrier_all();
    for (int round = 1; round <= scaled(50); ++round) {
        waits.p(word, static_cast<T>(round), right);
        shmem_fence();
        waits.wait_until(word, SHMEM_CMP_GE, static_cast<T>(round));
    }
    shmem_barrier_all();
}

TEST(Deprecated, ShortWaits) {
#define CHECK(NAME, T)                                                                   \
    for (const auto& waits : std::array{SHORT_WAIT(, NAME, T) SHORT_WAIT(p, NAME, T)}) { \
        for (const Region& region : regions()) check_short<T>(waits, region);            \
    }
    SPEC_SHORT_TYPES(CHECK)
#undef CHECK
}

// Waits until the word is something else than zero.
template <class T>
void check_wait(void (*wait)(T* ivar, T value), void (*p)(T* dest, T value, int pe)) {
    for (const Region& region : regions()) {
        T* word = reinterpret_cast<T*>(region.data);
        *word = 0;
        shmem_barrier_all();
        if (shmem_my_pe() % 2 == 0 && shmem_n_pes() > 1) wait(word, 0);
        p(word, T{9}, (shmem_my_pe() + 1) % shmem_n_pes());
        wait(word, 0);
        ASSERT_EQ(*word, T{9});
        wait(word, 8);
        shmem_barrier_all();
    }
}

TEST(Deprecated, WaitForAnotherValue) {
#define CHECK(NAME, T)                                    \
    check_wait<T>(shmem_##NAME##_wait, shmem_##NAME##_p); \
    check_wait<T>(pshmem_##NAME##_wait, shmem_##NAME##_p);
    SPEC_OLD_WAIT_TYPES(CHECK)
#undef CHECK
    check_wait<long>(shmem_wait, shmem_long_p);
    check_wait<long>(pshmem_wait, shmem_long_p);
}

TEST(Deprecated, WaitUntilOfLong) {
    static long word;
    void (*const waits[])(long*, int, long) = {shmem_wait_until, pshmem_wait_until};
    for (auto* wait : waits) {
        word = 0;
        shmem_barrier_all();
        shmem_long_atomic_set(&word, -3, (shmem_my_pe() + 1) % shmem_n_pes());
        wait(&word, SHMEM_CMP_LT, -2);
        EXPECT_EQ(word, -3);
        shmem_barrier_all();
    }
}

// One word written by put, as a flag behind its data, as in programs from before signals.
TEST(Deprecated, PutAsAFlag) {
    for (const Region& region : regions()) {
        long* words = reinterpret_cast<long*>(region.data);
        words[0] = words[100] = 0;
        shmem_barrier_all();
        const int right = (shmem_my_pe() + 1) % shmem_n_pes();
        for (long round = 1; round <= scaled(500); ++round) {
            shmem_long_put(&words[0], &round, 1, right);
            shmem_fence();
            shmem_long_put(&words[100], &round, 1, right);
            shmem_long_wait_until(&words[100], SHMEM_CMP_GE, round);
            ASSERT_GE(words[0], round) << region.kind;
        }
        shmem_barrier_all();
    }
}

TEST(Deprecated, NumbersAndMemory) {
    EXPECT_EQ(_my_pe(), shmem_my_pe());
    EXPECT_EQ(_num_pes(), shmem_n_pes());
    EXPECT_EQ(p_my_pe(), shmem_my_pe());
    EXPECT_EQ(p_num_pes(), shmem_n_pes());
    start_pes(0);  // Nothing: the library is initialized.
    pstart_pes(17);
    auto* block = static_cast<char*>(shmalloc(100));
    std::memset(block, 3, 100);
    block = static_cast<char*>(shrealloc(block, 10000));
    EXPECT_EQ(block[99], 3);
    auto* aligned = shmemalign(4096, 10);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0U);
    shfree(aligned);
    shfree(block);
    block = static_cast<char*>(pshmalloc(100));
    std::memset(block, 4, 100);
    block = static_cast<char*>(pshrealloc(block, 10000));
    EXPECT_EQ(block[99], 4);
    aligned = pshmemalign(4096, 10);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0U);
    pshfree(aligned);
    pshfree(block);
}

// Usable as array bounds, and equal to their successors.
TEST(Deprecated, Constants) {
    static long psync[SHMEM_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE +
                      SHMEM_BARRIER_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE +
                      SHMEM_ALLTOALLS_SYNC_SIZE + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    psync[0] = SHMEM_SYNC_VALUE;
    EXPECT_EQ(psync[0], _SHMEM_SYNC_VALUE);
    EXPECT_EQ(_SHMEM_BCAST_SYNC_SIZE, SHMEM_BCAST_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_REDUCE_SYNC_SIZE, SHMEM_REDUCE_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_BARRIER_SYNC_SIZE, SHMEM_BARRIER_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_COLLECT_SYNC_SIZE, SHMEM_COLLECT_SYNC_SIZE);
    EXPECT_EQ(_SHMEM_REDUCE_MIN_WRKDATA_SIZE, SHMEM_REDUCE_MIN_WRKDATA_SIZE);
    EXPECT_EQ(_SHMEM_MAJOR_VERSION, SHMEM_MAJOR_VERSION);
    EXPECT_EQ(_SHMEM_MINOR_VERSION, SHMEM_MINOR_VERSION);
    EXPECT_EQ(_SHMEM_MAX_NAME_LEN, SHMEM_MAX_NAME_LEN);
    EXPECT_STREQ(_SHMEM_VENDOR_STRING, SHMEM_VENDOR_STRING);
    EXPECT_EQ(_SHMEM_CMP_EQ, SHMEM_CMP_EQ);
    EXPECT_EQ(_SHMEM_CMP_NE, SHMEM_CMP_NE);
    EXPECT_EQ(_SHMEM_CMP_LT, SHMEM_CMP_LT);
    EXPECT_EQ(_SHMEM_CMP_LE, SHMEM_CMP_LE);
    EXPECT_EQ(_SHMEM_CMP_GT, SHMEM_CMP_GT);
    EXPECT_EQ(_SHMEM_CMP_GE, SHMEM_CMP_GE);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
