// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the sizes of blocks of local memory (local_allocator.hpp), in units of 16 bytes: 1 to 8
// units, then four sizes to each doubling (10, 12, 14, 16, 20, ...). So a block is at most a
// quarter larger than asked for, and from 16 bytes on never more than 1.25 times its bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera::heap {

inline constexpr std::size_t kUnitBytes = 16;
using SizeClass = std::uint8_t;  // 1 to kSizeClassMax
inline constexpr SizeClass kSizeClassMax = 124;

constexpr std::uint64_t units_of_class(SizeClass size_class) {
    if (size_class <= 8) return size_class;
    const unsigned above = size_class - 9U;
    return std::uint64_t{above % 4 + 5} << (above / 4 + 1);
}

// 64 GiB.
inline constexpr std::size_t kBlockBytesMax = units_of_class(kSizeClassMax) * kUnitBytes;

// REQUIRES: 0 < bytes <= kBlockBytesMax.
constexpr SizeClass class_of_bytes(std::size_t bytes) {
    const std::uint64_t last = (bytes - 1) / kUnitBytes;  // number of the last unit
    if (last < 8) return static_cast<SizeClass>(last + 1);
    const auto highest = static_cast<unsigned>(std::bit_width(last)) - 1;
    return static_cast<SizeClass>(8 + (highest - 3) * 4 + (last >> (highest - 2)) - 3);
}

static_assert(class_of_bytes(128) == 8 && class_of_bytes(129) == 9 && units_of_class(9) == 10);
static_assert(class_of_bytes(256) == 12 && units_of_class(12) == 16);
static_assert(class_of_bytes(257) == 13 && units_of_class(13) == 20);
static_assert(class_of_bytes(kBlockBytesMax) == kSizeClassMax);
static_assert(kBlockBytesMax == std::size_t{64} << 30);

}  // namespace tessera::heap
