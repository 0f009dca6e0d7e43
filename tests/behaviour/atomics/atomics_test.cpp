// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an atomic of any type and form gives a wrong result, leaves a wrong value, or touches
// another word or another PE's copy. Collisions of PEs are in
// atomics_contention_test.cpp.
#include <pshmem.h>

#include <limits>
#include <type_traits>
#include <vector>

#include "support/atomic_forms.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"

namespace {

using tessera::test::BitwiseAtomics;
using tessera::test::ExtendedAtomics;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::same_bits;
using tessera::test::StandardAtomics;

template <class T>
T guard() {
    return static_cast<T>(85);
}

// Words of a region: guard, word of PE 0, guard, word of PE 1, guard, ... Word i of every PE is
// used by PE i alone.
template <class T>
T* prepare_words(const Region& region) {
    T* words = reinterpret_cast<T*>(region.data);
    for (int i = 0; i < 2 * shmem_n_pes() + 1; ++i) words[i] = i % 2 == 0 ? guard<T>() : T{};
    shmem_barrier_all();
    return words;
}

// After all PEs have left `value(pe)` in their word of mine.
template <class T, class Value>
void check_words(const T* words, Value value, const char* name) {
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        ASSERT_TRUE(same_bits(words[2 * pe + 1], value(pe)))
            << name << ": word of PE " << pe << " is " << words[2 * pe + 1];
        ASSERT_TRUE(same_bits(words[2 * pe], guard<T>())) << name << ": before word " << pe;
    }
    ASSERT_TRUE(same_bits(words[2 * shmem_n_pes()], guard<T>())) << name << ": behind the words";
    shmem_barrier_all();
}

// Values at the edges of a type.
template <class T>
std::vector<T> edge_values() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
        return {T{1} / 3,
                -T{0},
                Limits::lowest(),
                Limits::max(),
                Limits::denorm_min(),
                Limits::infinity(),
                -Limits::infinity(),
                Limits::quiet_NaN()};
    } else {
        return {T{1},
                Limits::min(),
                Limits::max(),
                static_cast<T>(Limits::max() / 3),
                static_cast<T>(~T{0}),
                static_cast<T>(0x123456789abcdef0ULL)};
    }
}

template <class T>
T value_of(int pe, std::size_t i) {
    std::vector<T> values = edge_values<T>();
    return values[(static_cast<std::size_t>(pe) + i) % values.size()];
}

template <class T>
void check_extended(const ExtendedAtomics<T>& atomics, const Region& region) {
    T* words = prepare_words<T>(region);
    const int me = shmem_my_pe();
    T* word = &words[2 * me + 1];
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        for (std::size_t i = 0; i < edge_values<T>().size(); ++i) {
            T fetched = guard<T>();
            atomics.set(word, value_of<T>(me, i), pe);
            shmem_quiet();
            ASSERT_TRUE(same_bits(atomics.fetch(word, pe), value_of<T>(me, i))) << atomics.name;
            ASSERT_TRUE(
                same_bits(atomics.swap(word, value_of<T>(me, i + 1), pe), value_of<T>(me, i)))
                << atomics.name;
            atomics.fetch_nbi(&fetched, word, pe);
            shmem_quiet();
            ASSERT_TRUE(same_bits(fetched, value_of<T>(me, i + 1))) << atomics.name;
            fetched = guard<T>();
            atomics.swap_nbi(&fetched, word, value_of<T>(me, i + 2), pe);
            shmem_quiet();
            ASSERT_TRUE(same_bits(fetched, value_of<T>(me, i + 1))) << atomics.name;
        }
    }
    check_words(
        words, [](int pe) { return value_of<T>(pe, edge_values<T>().size() + 1); }, atomics.name);
}

TEST(Atomics, FetchSetSwap) {
#define CHECK(NAME, T)                                                             \
    for (const auto& atomics : EXTENDED_FORMS(NAME, T)) {                          \
        for (const Region& region : regions()) check_extended<T>(atomics, region); \
    }
    SPEC_AMO_EXTENDED_TYPES(CHECK)
#undef CHECK
}

// a + b, wrapping around as atomics do.
template <class T>
T wrapping_sum(T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}

template <class T>
void check_adding(const StandardAtomics<T>& atomics, T* word, int pe, T& now) {
    for (T value : edge_values<T>()) {
        T fetched = guard<T>();
        ASSERT_EQ(atomics.fetch_add(word, value, pe), now) << atomics.name;
        now = wrapping_sum(now, value);
        atomics.add(word, value, pe);
        shmem_quiet();
        now = wrapping_sum(now, value);
        atomics.fetch_add_nbi(&fetched, word, value, pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        now = wrapping_sum(now, value);
        ASSERT_EQ(atomics.fetch_inc(word, pe), now) << atomics.name;
        now = wrapping_sum(now, T{1});
        atomics.inc(word, pe);
        shmem_quiet();
        now = wrapping_sum(now, T{1});
        atomics.fetch_inc_nbi(&fetched, word, pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        now = wrapping_sum(now, T{1});
    }
}

template <class T>
void check_compare_swap(const StandardAtomics<T>& atomics, T* word, int pe, T& now) {
    for (T value : edge_values<T>()) {
        T fetched = guard<T>();
        T other = wrapping_sum(now, static_cast<T>(T{1} << (sizeof(T) * 8 - 2)));
        ASSERT_EQ(atomics.compare_swap(word, other, T{42}, pe), now) << atomics.name;
        ASSERT_EQ(atomics.compare_swap(word, now, value, pe), now) << atomics.name;
        now = value;
        other = wrapping_sum(now, T{1});
        atomics.compare_swap_nbi(&fetched, word, other, T{42}, pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        atomics.compare_swap_nbi(&fetched, word, now, other, pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        now = other;
    }
}

// Leaves the same value in the word of every PE; returns it.
template <class T>
void check_standard(const StandardAtomics<T>& atomics, const Region& region) {
    T* words = prepare_words<T>(region);
    T last{};
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        T now{};
        check_adding(atomics, &words[2 * shmem_my_pe() + 1], pe, now);
        check_compare_swap(atomics, &words[2 * shmem_my_pe() + 1], pe, now);
        last = now;
    }
    check_words(
        words, [last](int) { return last; }, atomics.name);
}

TEST(Atomics, AddIncrementCompareSwap) {
#define CHECK(NAME, T)                                                             \
    for (const auto& atomics : STANDARD_FORMS(NAME, T)) {                          \
        for (const Region& region : regions()) check_standard<T>(atomics, region); \
    }
    SPEC_AMO_STANDARD_TYPES(CHECK)
#undef CHECK
}

template <class T>
void check_bits_on(const BitwiseAtomics<T>& atomics, T* word, int pe, T& now) {
    for (T value : edge_values<T>()) {
        T fetched = guard<T>();
        ASSERT_EQ(atomics.fetch_xor(word, value, pe), now) << atomics.name;
        now = static_cast<T>(now ^ value);
        ASSERT_EQ(atomics.fetch_or(word, static_cast<T>(value << 1), pe), now) << atomics.name;
        now = static_cast<T>(now | static_cast<T>(value << 1));
        ASSERT_EQ(atomics.fetch_and(word, static_cast<T>(~(value << 2)), pe), now) << atomics.name;
        now = static_cast<T>(now & static_cast<T>(~(value << 2)));
        atomics.op_xor(word, static_cast<T>(value << 3), pe);
        shmem_quiet();
        now = static_cast<T>(now ^ static_cast<T>(value << 3));
        atomics.op_or(word, static_cast<T>(value << 4), pe);
        shmem_quiet();
        now = static_cast<T>(now | static_cast<T>(value << 4));
        atomics.op_and(word, static_cast<T>(~(value << 5)), pe);
        shmem_quiet();
        now = static_cast<T>(now & static_cast<T>(~(value << 5)));
        atomics.fetch_xor_nbi(&fetched, word, value, pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        now = static_cast<T>(now ^ value);
        atomics.fetch_or_nbi(&fetched, word, static_cast<T>(value << 6), pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        now = static_cast<T>(now | static_cast<T>(value << 6));
        atomics.fetch_and_nbi(&fetched, word, static_cast<T>(~(value << 7)), pe);
        shmem_quiet();
        ASSERT_EQ(fetched, now) << atomics.name;
        now = static_cast<T>(now & static_cast<T>(~(value << 7)));
    }
}

template <class T>
void check_bitwise(const BitwiseAtomics<T>& atomics, const Region& region) {
    T* words = prepare_words<T>(region);
    T last{};
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        T now{};
        check_bits_on(atomics, &words[2 * shmem_my_pe() + 1], pe, now);
        last = now;
    }
    check_words(
        words, [last](int) { return last; }, atomics.name);
}

TEST(Atomics, AndOrXor) {
#define CHECK(NAME, T)                                                            \
    for (const auto& atomics : BITWISE_FORMS(NAME, T)) {                          \
        for (const Region& region : regions()) check_bitwise<T>(atomics, region); \
    }
    SPEC_AMO_BITWISE_TYPES(CHECK)
#undef CHECK
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
