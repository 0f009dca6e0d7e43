// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: pointers to memory of dart_memalloc. Only the owner knows its blocks, so the pointer
// tells the block that it belongs to:
//
//   flags    7..5 number of the block, modulo 8     4..0 exponent of the block's size
//   offset   63..48 bytes that the program has asked for   47..0 bytes behind the anchor
//
// Blocks are powers of two, aligned to their size, so the address and the exponent give the block;
// its number tells it from the blocks beside it. Blocks above 2 MiB have exponent 0: unknown. Bytes
// are 0 from 64 KiB on: then the whole block may be used.
#pragma once

#include <dash/dart/if/dart_globmem.h>

#include <cstddef>
#include <cstdint>

#include "core/runtime.hpp"

namespace tessera::dart {

namespace detail {
inline constexpr int kPositionBits = 48;
inline constexpr int kExponentBits = 5;
// The program has set flags of its own, which are no block.
inline constexpr std::uint64_t kUnknownSize = 0xFFFF;
inline constexpr std::uint64_t kPositionMask = (std::uint64_t{1} << kPositionBits) - 1;
}  // namespace detail

// The address that OpenSHMEM takes, together with the unit.
inline char* local_address(const dart_gptr_t& gptr) {
    return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(anchor()) +
                                   (gptr.addr_or_offs.offset & detail::kPositionMask));
}

// Makes it a pointer to another address.
inline void set_local_address(dart_gptr_t& gptr, const void* address) {
    const std::uint64_t position =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(anchor());
    gptr.addr_or_offs.offset =
        (gptr.addr_or_offs.offset & ~detail::kPositionMask) | (position & detail::kPositionMask);
}

// The pointer to the start of a block of 1 << exponent bytes, of which the program has asked for
// `bytes`. An exponent of 0: unknown.
inline void set_local_block(dart_gptr_t& gptr, const char* block, int exponent, std::size_t bytes) {
    const auto number = exponent != 0 ? reinterpret_cast<std::uintptr_t>(block) >> exponent : 0;
    gptr.flags = static_cast<std::uint8_t>(number << detail::kExponentBits | exponent);
    const std::uint64_t size = exponent != 0 && bytes < detail::kUnknownSize ? bytes : 0;
    gptr.addr_or_offs.offset = size << detail::kPositionBits;
    set_local_address(gptr, block);
}

// The program has set the flags.
inline void forget_local_block(dart_gptr_t& gptr) {
    gptr.addr_or_offs.offset |= detail::kUnknownSize << detail::kPositionBits;
}

inline bool has_local_block(const dart_gptr_t& gptr) {
    return (gptr.flags & ((1U << detail::kExponentBits) - 1)) != 0 &&
           gptr.addr_or_offs.offset >> detail::kPositionBits != detail::kUnknownSize;
}

// Whether the bytes are in the block of the pointer, as far as the pointer tells.
inline bool is_in_local_block(const dart_gptr_t& gptr, std::size_t bytes) {
    if (!has_local_block(gptr)) [[unlikely]]
        return true;
    const unsigned exponent = gptr.flags & ((1U << detail::kExponentBits) - 1);
    const std::uint64_t asked = gptr.addr_or_offs.offset >> detail::kPositionBits;
    const auto first = reinterpret_cast<std::uintptr_t>(local_address(gptr));
    const std::uintptr_t number = first >> exponent;
    const std::size_t size = asked != 0 ? asked : std::size_t{1} << exponent;
    return static_cast<std::uint8_t>(number << detail::kExponentBits | exponent) == gptr.flags &&
           bytes <= size && first - (number << exponent) <= size - bytes;
}

}  // namespace tessera::dart
