// SPDX-License-Identifier: BSD-3-Clause
//
// Small arithmetic on bits and sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

constexpr bool is_power_of_two(std::size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

// The smallest multiple of `unit` from `value` on.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

// Multiples of a power of two, without a division.
constexpr std::size_t align_down(std::size_t value, std::size_t unit) {
    return value & ~(unit - 1);
}
constexpr std::size_t align_up(std::size_t value, std::size_t unit) {
    return align_down(value + unit - 1, unit);
}

// Spreads every bit of `value` over the result (the finaliser of MurmurHash3).
constexpr std::uint64_t mix_bits(std::uint64_t value) {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdULL;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ULL;
    value ^= value >> 33;
    return value;
}

// The upper half of the product. Compilers of processors with 64 bits have a type of 128.
constexpr std::uint64_t high_product(std::uint64_t left, std::uint64_t right) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(left) * right >> 64);
}

}  // namespace tessera
