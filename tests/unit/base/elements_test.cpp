// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an operation on elements gives a wrong value, touches a neighbour, loses an update of
// another thread, or is offered for a type that does not have it.
#include "base/elements.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace tessera {
namespace {

std::atomic<std::uint32_t> lock{0};

const ElementKernel& kernel(ElementType type, ElementOp op) {
    return *element_kernel(static_cast<int>(type), static_cast<int>(op));
}

template <class T>
struct Case {
    ElementOp op;
    T a;
    T b;
    T result;
};

// Each function of the kernel, at all places within 16 bytes, with neighbours.
template <class T>
void check(ElementType type, std::initializer_list<Case<T>> cases) {
    for (const Case<T>& one : cases) {
        const ElementKernel& k = kernel(type, one.op);
        ASSERT_EQ(k.bytes, sizeof(T));
        for (std::size_t first = 1; first < 1 + 16 / alignof(T); ++first) {
            for (std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{37}}) {
                alignas(16) T dest[64];
                T source[64];
                for (T& each : dest) each = one.a;
                for (T& each : source) each = one.b;
                auto* at = reinterpret_cast<char*>(dest + first);
                k.accumulate(at, reinterpret_cast<const char*>(source), count, lock);
                for (std::size_t i = 0; i < 64; ++i) {
                    const bool is_inside = i >= first && i < first + count;
                    ASSERT_EQ(dest[i], is_inside ? one.result : one.a)
                        << static_cast<int>(type) << " op " << static_cast<int>(one.op) << " " << i;
                }
                for (T& each : dest) each = one.a;
                k.combine(at, reinterpret_cast<const char*>(source), count);
                for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(dest[first + i], one.result);
            }
        }
        if (k.fetch == nullptr) continue;
        if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
            alignas(16) T dest[3] = {one.a, one.a, one.a};
            std::uint64_t operand = 0;
            std::memcpy(&operand, &one.b, sizeof(T));
            const std::uint64_t bits = k.fetch(reinterpret_cast<char*>(dest + 1), operand, lock);
            T old;
            std::memcpy(static_cast<void*>(&old), &bits, sizeof old);
            EXPECT_EQ(old, one.a);
            EXPECT_EQ(dest[0], one.a);
            EXPECT_EQ(dest[1], one.result);
            EXPECT_EQ(dest[2], one.a);
        }
    }
}

template <class T>
void check_integers(ElementType type) {
    constexpr T kMost = std::numeric_limits<T>::max();
    constexpr T kLeast = std::numeric_limits<T>::min();
    check<T>(type, {{ElementOp::kSum, 5, 7, 12},
                    {ElementOp::kSum, kMost, 1, kLeast},
                    {ElementOp::kProd, 5, 7, 35},
                    {ElementOp::kProd, kMost, kMost, 1},
                    {ElementOp::kMin, kLeast, 3, kLeast},
                    {ElementOp::kMin, kMost, 3, 3},
                    {ElementOp::kMax, kLeast, 3, 3},
                    {ElementOp::kMax, kMost, 3, kMost},
                    {ElementOp::kAnd, 0x3C, 0x0F, 0x0C},
                    {ElementOp::kOr, 0x3C, 0x0F, 0x3F},
                    {ElementOp::kXor, 0x3C, 0x0F, 0x33},
                    {ElementOp::kReplace, 1, 2, 2},
                    {ElementOp::kReplace, 2, 2, 2},
                    {ElementOp::kNoOp, 1, 2, 1}});
}
template <class T>
void check_numbers(ElementType type) {
    check<T>(type, {{ElementOp::kSum, T(5), T(7.5), T(12.5)},
                    {ElementOp::kProd, T(5), T(0.5), T(2.5)},
                    {ElementOp::kReplace, T(1), T(2), T(2)},
                    {ElementOp::kNoOp, T(1), T(2), T(1)}});
}
template <class T>
void check_floats(ElementType type) {
    check_numbers<T>(type);
    check<T>(type, {{ElementOp::kMin, T(5), T(-7), T(-7)}, {ElementOp::kMax, T(5), T(-7), T(5)}});
}

TEST(Elements, OfAllTypesAreCombined) {
    check_integers<std::int8_t>(ElementType::kInt8);
    check_integers<std::int16_t>(ElementType::kInt16);
    check_integers<std::int32_t>(ElementType::kInt32);
    check_integers<std::int64_t>(ElementType::kInt64);
    check_integers<std::uint8_t>(ElementType::kUint8);
    check_integers<std::uint16_t>(ElementType::kUint16);
    check_integers<std::uint32_t>(ElementType::kUint32);
    check_integers<std::uint64_t>(ElementType::kUint64);
    check_floats<float>(ElementType::kFloat);
    check_floats<double>(ElementType::kDouble);
    check_floats<long double>(ElementType::kLongDouble);
    check_numbers<std::complex<float>>(ElementType::kComplexFloat);
    check_numbers<std::complex<double>>(ElementType::kComplexDouble);
    check<std::complex<double>>(ElementType::kComplexDouble,
                                {{ElementOp::kProd, {0, 1}, {0, 1}, {-1, 0}}});
}

TEST(Elements, TypesHaveTheOperationsThatMakeSense) {
    const auto has = [](ElementType type, ElementOp op) {
        return element_kernel(static_cast<int>(type), static_cast<int>(op)) != nullptr;
    };
    EXPECT_TRUE(has(ElementType::kUint8, ElementOp::kXor));
    EXPECT_FALSE(has(ElementType::kFloat, ElementOp::kAnd));
    EXPECT_FALSE(has(ElementType::kComplexFloat, ElementOp::kMin));
    EXPECT_TRUE(has(ElementType::kComplexDouble, ElementOp::kProd));
    EXPECT_FALSE(has(ElementType::kNone, ElementOp::kSum));
    for (int bad : {-1, 0, 10, 11, 255}) EXPECT_EQ(element_kernel(3, bad), nullptr) << bad;
    for (int bad : {-1, 0, 14, 255}) EXPECT_EQ(element_kernel(bad, 1), nullptr) << bad;
}

// Two threads accumulate on the same elements, while a third adds to them one by one.
template <class T>
void check_excluded(ElementType type, std::size_t first) {
    constexpr std::size_t kCount = 45;
    constexpr int kRounds = 20'000;
    alignas(16) static T dest[kCount + 16];
    std::fill(std::begin(dest), std::end(dest), T{});
    const std::vector<T> ones(kCount, T(1));
    const ElementKernel& k = kernel(type, ElementOp::kSum);
    const auto add = [&] {
        for (int i = 0; i < kRounds; ++i) {
            k.accumulate(reinterpret_cast<char*>(dest + first),
                         reinterpret_cast<const char*>(ones.data()), kCount, lock);
        }
    };
    std::thread other(add);
    std::thread single([&] {
        std::uint64_t one = 0;
        std::memcpy(&one, ones.data(), std::min(sizeof one, sizeof(T)));
        for (int i = 0; i < kRounds && k.fetch != nullptr; ++i)
            k.fetch(reinterpret_cast<char*>(dest + first + 3), one, lock);
    });
    add();
    other.join();
    single.join();
    const auto expected = static_cast<T>(2 * kRounds);
    for (std::size_t i = 0; i < kCount; ++i) {
        const bool is_single = i == 3 && k.fetch != nullptr;
        EXPECT_EQ(dest[first + i], is_single ? static_cast<T>(3 * kRounds) : expected) << i;
    }
}

TEST(Elements, ChangesByOthersAreNotLost) {
    check_excluded<std::uint16_t>(ElementType::kUint16, 1);
    check_excluded<std::int64_t>(ElementType::kInt64, 1);
    check_excluded<double>(ElementType::kDouble, 0);
    check_excluded<std::complex<double>>(ElementType::kComplexDouble, 1);
}

}  // namespace
}  // namespace tessera
