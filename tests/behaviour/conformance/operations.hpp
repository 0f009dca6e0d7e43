// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of reductions as the specification defines them, and operands for them: different
// for each member, element and call, such that leaving one out changes the result, and exact in
// any order.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "conformance/values.hpp"

namespace tessera::conformance {

enum class Op { kAnd, kOr, kXor, kMax, kMin, kSum, kProd };

template <class T>
T combine(Op op, T a, T b) {
    if (op == Op::kSum) return add(a, b);
    if (op == Op::kProd) return multiply(a, b);
    if constexpr (!kIsComplex<T>) {
        if (op == Op::kMax) return a < b ? b : a;
        if (op == Op::kMin) return b < a ? b : a;
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == Op::kAnd) return static_cast<T>(a & b);
        if (op == Op::kOr) return static_cast<T>(a | b);
        if (op == Op::kXor) return static_cast<T>(a ^ b);
    }
    return a;
}

// The PE of an operand, its element and its call.
struct OperandIndex {
    int index;
    int size;
    std::size_t element;
    unsigned turn;

    std::uint64_t bits(unsigned part) const {
        return mix(static_cast<unsigned>(index), element, turn, part);
    }
};

// One member has a large factor, one a factor that is odd, the others 1 or, where there is one, -1.
template <class T>
T factor_of(const OperandIndex& place) {
    const auto size = static_cast<std::size_t>(place.size);
    const auto index = static_cast<std::size_t>(place.index);
    const bool is_large = (place.element + place.turn) % size == index;
    const bool is_odd = (place.element / 2 + 3 * place.turn + 1) % size == index;
    if constexpr (std::is_integral_v<T>) {
        const T large = static_cast<T>(std::numeric_limits<T>::max() / 8 - 2);
        const T one = static_cast<T>(std::is_signed_v<T> && place.bits(1) % 2 == 0 ? -1 : 1);
        return multiply(is_large ? large : one, static_cast<T>(is_odd ? 5 : 1));
    } else if constexpr (kIsComplex<T>) {
        if (is_large) return make_complex<T>(2, -1);
        return is_odd ? make_complex<T>(-1, 3)
                      : make_complex<T>(0, place.bits(1) % 2 == 0 ? 1 : -1);
    } else {
        const T one = static_cast<T>(place.bits(1) % 2 == 0 ? -1 : 1);
        return (is_large ? static_cast<T>(1025) : one) * static_cast<T>(is_odd ? 0.375 : 1);
    }
}

template <class T>
T operand_of(Op op, const OperandIndex& place) {
    const T any = value_of<T>(place.bits(0));
    if (op == Op::kProd) return factor_of<T>(place);
    if constexpr (std::is_integral_v<T>) {
        const T other = value_of<T>(place.bits(2));
        if (op == Op::kAnd) return static_cast<T>(any | other);  // most bits set
        if (op == Op::kOr) return static_cast<T>(any & other);   // few bits set
        // A sum of 16 does not overflow.
        if (op == Op::kSum) return static_cast<T>(any / 16);
    }
    return any;
}

// For messages.
template <class T>
std::string text_of(T value) {
    if constexpr (kIsComplex<T>) {
        double parts[2] = {static_cast<double>(__real__ value),
                           static_cast<double>(__imag__ value)};
        return std::to_string(parts[0]) + " + " + std::to_string(parts[1]) + "i";
    } else {
        return std::to_string(value);
    }
}

}  // namespace tessera::conformance
