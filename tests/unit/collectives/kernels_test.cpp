// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a reduction kernel, of any operator, type and instruction set that this processor
// has, differs in a bit from a loop over single elements, or combines in another order, or writes
// what it should not; or when a type of the reductions has no kernel.
#include "collectives/kernels/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera::collectives {
namespace {

constexpr unsigned kSeed = 20261120;
constexpr std::size_t kGuards = 5;
// The last is more than two blocks of partial results; none is a multiple of a vector.
template <class T>
constexpr std::size_t kLargeSizes[] = {127, 255, 9001 / sizeof(T) | 1};
constexpr std::size_t kSmallSizesMax = 70;

template <class T>
constexpr bool kIsComplex = !std::is_arithmetic_v<T>;

template <class T>
struct PartOf {
    using Type = T;
};
template <>
struct PartOf<shmem_internal_complexf> {
    using Type = float;
};
template <>
struct PartOf<shmem_internal_complexd> {
    using Type = double;
};
template <class T>
using Part = typename PartOf<T>::Type;

// ---- Values ----

// The kind that has sign and payload, so that it shows whose it was.
template <class T>
T special_value(unsigned which) {
    using Limits = std::numeric_limits<T>;
    const std::array<T, 14> values = {static_cast<T>(std::nan("1")),
                                      std::copysign(static_cast<T>(std::nan("2")), T{-1}),
                                      static_cast<T>(std::nanl("0x300")),
                                      Limits::signaling_NaN(),
                                      Limits::infinity(),
                                      -Limits::infinity(),
                                      T{0},
                                      -T{0},
                                      Limits::denorm_min(),
                                      -Limits::denorm_min(),
                                      Limits::min() / 2,
                                      Limits::max(),
                                      Limits::lowest(),
                                      Limits::epsilon()};
    return values[which % values.size()];
}

template <class T>
T random_part(std::mt19937_64& random) {
    const std::uint64_t bits = random();
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits);
    } else {
        if (bits % 8 == 0) return special_value<T>(static_cast<unsigned>(bits >> 32));
        // Numbers of many sizes, whose sums round.
        const auto fraction = static_cast<T>(static_cast<std::int64_t>(bits)) / T(3);
        return std::ldexp(fraction, static_cast<int>(bits % 67) - 96);
    }
}

template <class T>
T random_value(std::mt19937_64& random) {
    if constexpr (kIsComplex<T>) {
        Part<T> parts[2] = {random_part<Part<T>>(random), random_part<Part<T>>(random)};
        T value;
        std::memcpy(&value, parts, sizeof value);
        return value;
    } else {
        return random_part<T>(random);
    }
}

// ---- What is expected: one element at a time ----

// The expected result for a real or integer number.
template <class T>
T expected_part(Operator op, T left, T right) {
    if (op == Operator::kMax) return left < right ? right : left;
    if (op == Operator::kMin) return right < left ? right : left;
    if constexpr (std::is_integral_v<T>) {
        const auto a = static_cast<unsigned long>(left);
        const auto b = static_cast<unsigned long>(right);
        switch (op) {
            case Operator::kAnd: return static_cast<T>(a & b);
            case Operator::kOr: return static_cast<T>(a | b);
            case Operator::kXor: return static_cast<T>(a ^ b);
            case Operator::kSum: return static_cast<T>(a + b);
            default: return static_cast<T>(a * b);
        }
    } else {
        const T value = op == Operator::kSum ? left + right : left * right;
        return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
    }
}

template <class T>
T expected_value(Operator op, T left, T right) {
    if constexpr (!kIsComplex<T>) {
        return expected_part(op, left, right);
    } else {
        Part<T> a[2], b[2];
        if (op == Operator::kProd) left *= right;
        std::memcpy(a, &left, sizeof a);
        std::memcpy(b, &right, sizeof b);
        for (int i = 0; i < 2; ++i) {
            if (op == Operator::kSum) a[i] = expected_part(op, a[i], b[i]);
            if (std::isnan(a[i])) a[i] = std::numeric_limits<Part<T>>::quiet_NaN();
        }
        std::memcpy(&left, a, sizeof a);
        return left;
    }
}

// Bits, without the padding of an x87 number.
template <class T>
bool is_same_part(const T& a, const T& b) {
    const bool is_x87 = std::is_same_v<T, long double> && std::numeric_limits<T>::digits == 64;
    return std::memcmp(&a, &b, is_x87 ? 10 : sizeof(T)) == 0;
}

template <class T>
bool is_same(const T& actual, const T& expected) {
    Part<T> a[sizeof(T) / sizeof(Part<T>)], b[sizeof(T) / sizeof(Part<T>)];
    std::memcpy(a, &actual, sizeof actual);
    std::memcpy(b, &expected, sizeof expected);
    for (std::size_t i = 0; i < std::size(a); ++i) {
        if (!is_same_part(a[i], b[i])) return false;
    }
    return true;
}

template <class T>
std::string bytes_of(const T& value) {
    std::string text;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    for (std::size_t i = sizeof value; i-- > 0;) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", bytes[i]);
        text += two;
    }
    return text;
}

// ---- One call ----

template <class T>
using Array = std::vector<T>;

template <class T>
Array<T> random_array(std::mt19937_64& random, std::size_t nelems) {
    Array<T> array(nelems);
    for (T& value : array) value = random_value<T>(random);
    return array;
}

// The function under test: `form` 0: combine, 1: combine_two, else combine_many of `count` sources.
// `alias`: the source that is the result, or count: none.
struct Case {
    std::string where;
    Operator op;
    std::size_t nelems;
    int form;
    std::size_t count;
    std::size_t alias;
};

template <class T>
void call(const Kernel& kernel, const Case& c, T* result, const std::vector<const void*>& from) {
    if (c.form == 0) {
        kernel.combine(result, from[1], c.nelems);
    } else if (c.form == 1) {
        kernel.combine_two(result, from[0], from[1], c.nelems);
    } else {
        kernel.combine_many(result, from.data(), c.count, c.nelems);
    }
}

// Sources at their own, odd offsets, ending where their memory ends; the last one may be there
// twice. The result has guards on both sides.
template <class T>
void check(const Kernel& kernel, const Case& c, std::mt19937_64& random) {
    std::vector<Array<T>> arrays;
    for (std::size_t k = 0; k <= c.count; ++k)
        arrays.push_back(random_array<T>(random, random() % 8 + c.nelems + (k == c.alias) * 8));
    std::vector<const void*> from;
    std::vector<const T*> typed;
    for (std::size_t k = 0; k < c.count; ++k) {
        const std::size_t offset = k == c.alias ? kGuards : arrays[k].size() - c.nelems;
        typed.push_back(arrays[k].data() + offset);
        from.push_back(typed.back());
    }
    if (c.count > 2 && c.nelems % 3 == 0) {
        typed[c.count - 1] = typed[0];
        from[c.count - 1] = from[0];
    }
    Array<T> result = c.alias < c.count ? arrays[c.alias] : random_array<T>(random, c.nelems + 13);
    Array<T> expected = result;
    for (std::size_t i = 0; i < c.nelems; ++i) {
        T value = typed[0][i];
        for (std::size_t k = 1; k < c.count; ++k) value = expected_value(c.op, value, typed[k][i]);
        expected[kGuards + i] = value;
    }
    Array<T>& actual = c.alias < c.count ? arrays[c.alias] : result;
    call(kernel, c, actual.data() + kGuards, from);
    for (std::size_t i = 0; i < actual.size(); ++i) {
        ASSERT_TRUE(is_same(actual[i], expected[i]))
            << c.where << ", operator " << static_cast<int>(c.op) << ", form " << c.form << ", "
            << c.count << " sources, result is " << c.alias << ", " << c.nelems << " elements: at "
            << static_cast<long>(i) - static_cast<long>(kGuards) << " " << bytes_of(actual[i])
            << ", not " << bytes_of(expected[i]) << "; seed " << kSeed;
    }
}

template <class T>
void check_size(const Kernel& kernel, Case c, std::mt19937_64& random) {
    c.count = 2;
    c.form = 0;
    c.alias = 0;
    check<T>(kernel, c, random);
    c.form = 1;
    for (c.alias = 0; c.alias <= 2; ++c.alias) check<T>(kernel, c, random);
    c.form = 2;
    for (std::size_t count : {1, 2, 3, 4, 5, 7, 8, 11}) {
        c.count = count;
        c.alias = random() % (c.count + 1);
        check<T>(kernel, c, random);
    }
}

template <class T>
void check_operator(Operator op) {
    for (const InstructionSet& set : instruction_sets()) {
        const Kernel& kernel = set.table->at(op, element_of<T>());
        ASSERT_EQ(kernel.element_bytes, sizeof(T)) << set.name;
        std::mt19937_64 random(kSeed);
        Case c{.where = set.name, .op = op, .nelems = 0, .form = 0, .count = 2, .alias = 0};
        for (; c.nelems <= kSmallSizesMax; ++c.nelems)
            ASSERT_NO_FATAL_FAILURE(check_size<T>(kernel, c, random));
        for (std::size_t nelems : kLargeSizes<T>) {
            c.nelems = nelems;
            ASSERT_NO_FATAL_FAILURE(check_size<T>(kernel, c, random));
        }
    }
    EXPECT_EQ(&kernel_of(op, element_of<T>()),
              &instruction_sets().back().table->at(op, element_of<T>()));
}

// BitwiseKernels.TYPENAME, ExtremeKernels.TYPENAME, ArithmeticKernels.TYPENAME
#define TEST_BITWISE(NAME, T)              \
    TEST(BitwiseKernels, NAME) {           \
        check_operator<T>(Operator::kAnd); \
        check_operator<T>(Operator::kOr);  \
        check_operator<T>(Operator::kXor); \
    }
SHMEM_INTERNAL_RED_BIT_TYPES(TEST_BITWISE)
#undef TEST_BITWISE
#define TEST_EXTREME(NAME, T)              \
    TEST(ExtremeKernels, NAME) {           \
        check_operator<T>(Operator::kMax); \
        check_operator<T>(Operator::kMin); \
    }
SHMEM_INTERNAL_RED_MM_TYPES(TEST_EXTREME)
#undef TEST_EXTREME
#define TEST_ARITHMETIC(NAME, T)            \
    TEST(ArithmeticKernels, NAME) {         \
        check_operator<T>(Operator::kSum);  \
        check_operator<T>(Operator::kProd); \
    }
SHMEM_INTERNAL_RED_SP_TYPES(TEST_ARITHMETIC)
#undef TEST_ARITHMETIC

// The deprecated reductions have signed types for the bitwise operators.
#define TEST_ACTIVE_SET(NAME, T) \
    TEST(ActiveSetBitwiseKernels, NAME) { check_operator<T>(Operator::kXor); }
SHMEM_INTERNAL_AS_BIT_TYPES(TEST_ACTIVE_SET)
#undef TEST_ACTIVE_SET

TEST(Kernels, CombinesManyFromLeftToRight) {
    // Any other order of these gives another sum.
    const double values[] = {1.0, 1e100, 1.0, -1e100, 3.0, 1e16, 1.0, -1e16, 0.25};
    constexpr std::size_t kElements = 1037;
    std::vector<std::vector<double>> sources;
    std::vector<const void*> from;
    for (double value : values) sources.emplace_back(kElements, value);
    for (const auto& source : sources) from.push_back(source.data());
    for (const InstructionSet& set : instruction_sets()) {
        std::vector<double> result(kElements);
        set.table->at(Operator::kSum, Element::kDouble)
            .combine_many(result.data(), from.data(), from.size(), kElements);
        for (double sum : result) ASSERT_EQ(sum, 4.25) << set.name;
    }
}

TEST(Kernels, AreThereForThisProcessor) {
    ASSERT_FALSE(instruction_sets().empty());
    EXPECT_STREQ(instruction_sets().front().name, "portable");
    std::string names;
    for (const InstructionSet& set : instruction_sets()) names += std::string(" ") + set.name;
    RecordProperty("instruction_sets", names);
}

}  // namespace
}  // namespace tessera::collectives
