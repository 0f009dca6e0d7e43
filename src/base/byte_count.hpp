// SPDX-License-Identifier: BSD-3-Clause
//
// The multiplication for all counts from the program. A length that no address space holds becomes
// SIZE_MAX. No segment contains that, so bounds checks find it; further products of it stay
// SIZE_MAX.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

TESSERA_INLINE constexpr std::size_t byte_count(std::size_t count, std::size_t bytes) {
    std::size_t product = 0;
    return __builtin_mul_overflow(count, bytes, &product) ? SIZE_MAX : product;
}

// The same for a constant size. COST: a compare less than the processor's multiplication.
template <std::size_t kBytes>
TESSERA_INLINE constexpr std::size_t byte_count(std::size_t count) {
    return count <= SIZE_MAX / kBytes ? count * kBytes : SIZE_MAX;
}

}  // namespace tessera
