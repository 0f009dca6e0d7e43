// SPDX-License-Identifier: BSD-3-Clause
//
// The bits of global pointers (include/shmemx/pointers.h has the picture), without any check of
// what they name: a PE, and a byte of its memory.
#pragma once

#include <cstdint>

namespace tessera {

using GlobalPointer = std::uint64_t;

// A byte of a PE's memory: the low 44 bits. The highest bit tells the kind, the bits below it are
// the offset.
enum class PointerKind : std::uint8_t { kNone, kStatics, kRange, kSegmentName };

inline constexpr unsigned kAddressBits = 44;
inline constexpr unsigned kPeBits = 20;
inline constexpr std::uint64_t kStaticsBit = std::uint64_t{1} << 36;      // 64 GiB of offsets
inline constexpr std::uint64_t kRangeBit = std::uint64_t{1} << 42;        // 4 TiB
inline constexpr std::uint64_t kSegmentNameBit = std::uint64_t{1} << 43;  // 8 TiB
static_assert(kPeBits + kAddressBits == 64);

// The bit of a kind; offsets of the kind are smaller.
constexpr std::uint64_t kind_bit(PointerKind kind) {
    switch (kind) {
        case PointerKind::kStatics: return kStaticsBit;
        case PointerKind::kRange: return kRangeBit;
        case PointerKind::kSegmentName: return kSegmentNameBit;
        case PointerKind::kNone: break;
    }
    return 0;
}

constexpr std::uint64_t address_bits_of(GlobalPointer pointer) {
    return pointer & ((std::uint64_t{1} << kAddressBits) - 1);
}
constexpr std::uint32_t pe_of(GlobalPointer pointer) {
    return static_cast<std::uint32_t>(pointer >> kAddressBits);
}
constexpr PointerKind kind_of(GlobalPointer pointer) {
    const std::uint64_t bits = address_bits_of(pointer);
    if (bits >= kSegmentNameBit) return PointerKind::kSegmentName;
    if (bits >= kRangeBit) return PointerKind::kRange;
    return bits >> 36 == 1 ? PointerKind::kStatics : PointerKind::kNone;
}
constexpr std::uint64_t offset_of(GlobalPointer pointer) {
    return address_bits_of(pointer) & (kind_bit(kind_of(pointer)) - 1);
}
// REQUIRES: pe < 2^20, offset < kind_bit(kind).
constexpr GlobalPointer global_pointer(std::uint32_t pe, PointerKind kind, std::uint64_t offset) {
    return static_cast<GlobalPointer>(pe) << kAddressBits | kind_bit(kind) | offset;
}

static_assert(kind_of(0) == PointerKind::kNone);
static_assert(offset_of(global_pointer(7, PointerKind::kRange, kRangeBit - 1)) == kRangeBit - 1);
static_assert(kind_of(global_pointer(7, PointerKind::kStatics, 5)) == PointerKind::kStatics);
static_assert(pe_of(global_pointer(0xfffff, PointerKind::kSegmentName, 1)) == 0xfffff);

}  // namespace tessera
