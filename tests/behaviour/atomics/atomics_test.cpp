// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when atomics on one word lose an update, or two of them see the same old value, while all
// PEs work on it: the PE that owns it and the others, in all forms and with all operations mixed.
#include <pshmem.h>

#include <cstring>
#include <type_traits>

#include "support/atomic_forms.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

// The word of a region that all PEs fight for, zeroed on all PEs.
template <class T>
T* prepare_word(const Region& region) {
    T* word = reinterpret_cast<T*>(region.data);
    *word = T{};
    shmem_barrier_all();
    return word;
}

// The number that PE `from` adds to the word of PE `to` in step `i`.
template <class T>
T addend(int from, int to, int i) {
    return static_cast<T>((from + 1) * 1000003 + (to + 1) * 10007 + i);
}

// Atomic additions wrap around; those of the language must not overflow.
template <class T>
T wrapping_sum(T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}

template <class T, class Forms>
void check_sums(const Forms& forms, const Region& region) {
    T* word = prepare_word<T>(region);
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    const int steps = scaled(2000);
    for (int i = 0; i < steps; ++i) {
        for (int pe = 0; pe < npes; ++pe) {
            const auto& atomics = forms[static_cast<std::size_t>(i + pe) % forms.size()];
            T value = addend<T>(me, pe, i);
            T old{};
            switch (i % 5) {
                case 0: atomics.add(word, value, pe); break;
                case 1: atomics.fetch_add(word, value, pe); break;
                case 2: atomics.fetch_add_nbi(&old, word, value, pe); break;
                case 3:
                    while (true) {
                        T seen = atomics.compare_swap(word, old, wrapping_sum(old, value), pe);
                        if (seen == old) break;
                        old = seen;
                    }
                    break;
                default:  // Three increments instead.
                    atomics.inc(word, pe);
                    atomics.fetch_inc(word, pe);
                    atomics.fetch_inc_nbi(&old, word, pe);
            }
            shmem_quiet();
        }
    }
    std::make_unsigned_t<T> sum = 0;
    for (int from = 0; from < npes; ++from) {
        for (int i = 0; i < steps; ++i)
            sum += static_cast<std::make_unsigned_t<T>>(i % 5 == 4 ? T{3} : addend<T>(from, me, i));
    }
    shmem_barrier_all();
    ASSERT_EQ(*word, static_cast<T>(sum)) << forms[0].name << " " << region.kind;
    shmem_barrier_all();
}

TEST(AtomicsContention, SumsAreExact) {
#define CHECK(NAME, T) \
    for (const Region& region : regions()) check_sums<T>(STANDARD_FORMS(NAME, T), region);
    SPEC_AMO_STANDARD_TYPES(CHECK)
#undef CHECK
}

// Marks of PE 0: which numbers have been drawn.
constexpr int kMarksMax = 64 * 1024;
unsigned char marks[kMarksMax];

void clear_marks() {
    std::memset(marks, 0, sizeof marks);
    shmem_barrier_all();
}

// As many draws as numbers, so a number that is drawn twice leaves another one out.
void check_marks(int count, const char* name) {
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        for (int i = 0; i < count; ++i) ASSERT_EQ(marks[i], 1) << name << " never gave " << i;
    }
    shmem_barrier_all();
}

template <class T, class Forms>
void check_tickets(const Forms& forms, const Region& region) {
    const int draws = scaled(2000);
    T* word = prepare_word<T>(region);
    clear_marks();
    for (int i = 0; i < draws; ++i) {
        const auto& atomics = forms[static_cast<std::size_t>(i) % forms.size()];
        T ticket{};
        if (i % 3 == 0) {
            ticket = atomics.fetch_inc(word, 0);
        } else if (i % 3 == 1) {
            ticket = atomics.fetch_add(word, T{1}, 0);
        } else {
            atomics.fetch_inc_nbi(&ticket, word, 0);
            shmem_quiet();
        }
        ASSERT_LT(static_cast<std::size_t>(ticket), static_cast<std::size_t>(kMarksMax));
        shmem_uchar_p(&marks[ticket], 1, 0);
    }
    check_marks(draws * shmem_n_pes(), forms[0].name);
}

TEST(AtomicsContention, EveryTicketIsDrawnOnce) {
#define CHECK(NAME, T) \
    for (const Region& region : regions()) check_tickets<T>(STANDARD_FORMS(NAME, T), region);
    SPEC_AMO_STANDARD_TYPES(CHECK)
#undef CHECK
}

// A swap takes one value out and puts one in: no value may vanish or be taken twice.
template <class T, class Forms>
void check_swaps(const Forms& forms, const Region& region) {
    const int swaps = scaled(2000);
    T* word = prepare_word<T>(region);
    clear_marks();
    for (int i = 0; i < swaps; ++i) {
        const auto& atomics = forms[static_cast<std::size_t>(i) % forms.size()];
        auto mine = static_cast<T>(shmem_my_pe() * swaps + i + 1);
        T taken{};
        if (i % 2 == 0) {
            taken = atomics.swap(word, mine, 0);
        } else {
            atomics.swap_nbi(&taken, word, mine, 0);
            shmem_quiet();
        }
        shmem_uchar_p(&marks[static_cast<int>(taken)], 1, 0);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) marks[static_cast<int>(*word)] = 1;
    check_marks(swaps * shmem_n_pes() + 1, forms[0].name);
}

TEST(AtomicsContention, SwapsLoseNothing) {
#define CHECK(NAME, T) \
    for (const Region& region : regions()) check_swaps<T>(EXTENDED_FORMS(NAME, T), region);
    SPEC_AMO_EXTENDED_TYPES(CHECK)
#undef CHECK
}

// Each PE has one bit of a word, and must always find it as it left it.
template <class T, class Forms>
void check_bits(const Forms& forms, const Region& region) {
    const int width = 32;
    T* words = prepare_word<T>(region);
    words[1] = T{};
    shmem_barrier_all();
    T* word = words + shmem_my_pe() / width;
    const T bit = static_cast<T>(T{1} << (shmem_my_pe() % width));
    const T others = static_cast<T>(~bit);
    for (int i = 0; i < scaled(4000); ++i) {
        const int pe = i % shmem_n_pes();
        const auto& atomics = forms[static_cast<std::size_t>(i) % forms.size()];
        ASSERT_EQ(atomics.fetch_or(word, bit, pe) & bit, T{0}) << atomics.name;
        ASSERT_EQ(atomics.fetch_and(word, others, pe) & bit, bit) << atomics.name;
        ASSERT_EQ(atomics.fetch_xor(word, bit, pe) & bit, T{0}) << atomics.name;
        atomics.op_xor(word, bit, pe);
        shmem_quiet();
        atomics.op_or(word, bit, pe);
        shmem_quiet();
        T old{};
        atomics.fetch_and_nbi(&old, word, others, pe);
        shmem_quiet();
        ASSERT_EQ(old & bit, bit) << atomics.name;
        atomics.fetch_or_nbi(&old, word, bit, pe);
        shmem_quiet();
        ASSERT_EQ(old & bit, T{0}) << atomics.name;
        atomics.op_and(word, others, pe);
        shmem_quiet();
        atomics.fetch_xor_nbi(&old, word, T{0}, pe);
        shmem_quiet();
        ASSERT_EQ(old & bit, T{0}) << atomics.name;
    }
    shmem_barrier_all();
    ASSERT_EQ(words[0], T{0}) << forms[0].name << " " << region.kind;
    ASSERT_EQ(words[1], T{0}) << forms[0].name << " " << region.kind;
    shmem_barrier_all();
}

TEST(AtomicsContention, BitsOfOthersStay) {
#define CHECK(NAME, T) \
    for (const Region& region : regions()) check_bits<T>(BITWISE_FORMS(NAME, T), region);
    SPEC_AMO_BITWISE_TYPES(CHECK)
#undef CHECK
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
