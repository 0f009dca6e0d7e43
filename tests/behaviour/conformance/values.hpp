// SPDX-License-Identifier: BSD-3-Clause
//
// Values that tell where they come from, for every type of the specification's tables: a wrong PE,
// index, width, sign or order gives another value. Arithmetic as the library defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "conformance/routines.hpp"
#include "support/pattern.hpp"

namespace tessera::conformance {

// Bits that depend on all four numbers.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0,
                         std::uint64_t d = 0) {
    std::uint64_t bits = 0x9E3779B97F4A7C15ULL;
    for (std::uint64_t part : {a, b, c, d}) {
        bits = (bits ^ part) * 0xBF58476D1CE4E5B9ULL;
        bits ^= bits >> 29;
    }
    return bits;
}

// A number in [-limit, limit].
inline std::int64_t small_number(std::uint64_t bits, std::uint64_t limit) {
    return static_cast<std::int64_t>(bits % (2 * limit + 1)) - static_cast<std::int64_t>(limit);
}

template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, complexd> || std::is_same_v<T, complexf>;

template <class T>
T make_complex(double real, double imaginary) {
    using Part = std::conditional_t<std::is_same_v<T, complexd>, double, float>;
    Part parts[2] = {static_cast<Part>(real), static_cast<Part>(imaginary)};
    T value;
    static_assert(sizeof value == sizeof parts);
    std::memcpy(&value, parts, sizeof value);
    return value;
}

// Integers: any of the type, negative and huge ones too. Floating point: exact, far from overflow.
template <class T>
T value_of(std::uint64_t bits) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits);
    } else if constexpr (kIsComplex<T>) {
        return make_complex<T>(static_cast<double>(small_number(bits >> 32, 1 << 17)),
                               static_cast<double>(small_number(bits, 1 << 17)));
    } else {
        return static_cast<T>(small_number(bits, 1 << 19)) / static_cast<T>(16);
    }
}

// The bytes of a T that hold its value: 10 of the 16 of an x86 long double.
template <class T>
inline constexpr std::size_t kValueBytes = sizeof(T);
template <>
inline constexpr std::size_t kValueBytes<long double> = std::numeric_limits<long double>::digits ==
                                                                64
                                                            ? 10
                                                            : sizeof(long double);

// Signed arithmetic wraps around.
template <class T>
T add(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}
template <class T>
T multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
        return a * b;
    }
}

// Heap and static data in turn, the same on all PEs when all call it. The first call is collective.
inline const test::Region& next_region() {
    static std::size_t calls = 0;
    const auto& regions = test::regions();
    return regions[calls++ % regions.size()];
}

}  // namespace tessera::conformance
