// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: an atomic of another PE, executed by this PE's processor on memory of its own: so it
// meets the atomics of this PE's node in the same instructions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"
#include "transports/transport.hpp"

namespace tessera {

template <class Word>
TESSERA_INLINE std::uint64_t apply_atomic(void* address, AtomicOp op, std::uint64_t operand,
                                          std::uint64_t condition) {
    std::atomic_ref<Word> word(*static_cast<Word*>(address));
    const auto value = static_cast<Word>(operand);
    switch (op) {
        case AtomicOp::kFetch: return word.load();
        case AtomicOp::kSet:
        case AtomicOp::kSwap: return word.exchange(value);
        case AtomicOp::kCompareSwap: {
            auto seen = static_cast<Word>(condition);
            word.compare_exchange_strong(seen, value);
            return seen;
        }
        case AtomicOp::kAdd: return word.fetch_add(value);
        case AtomicOp::kAnd: return word.fetch_and(value);
        case AtomicOp::kOr: return word.fetch_or(value);
        case AtomicOp::kXor: return word.fetch_xor(value);
    }
    return 0;
}

// RETURNS: the old value. REQUIRES: `bytes` is 1, 2, 4 or 8 and the address aligned to it.
inline std::uint64_t apply_atomic(void* address, std::size_t bytes, AtomicOp op,
                                  std::uint64_t operand, std::uint64_t condition) {
    switch (bytes) {
        case 1: return apply_atomic<std::uint8_t>(address, op, operand, condition);
        case 2: return apply_atomic<std::uint16_t>(address, op, operand, condition);
        case 4: return apply_atomic<std::uint32_t>(address, op, operand, condition);
        default: return apply_atomic<std::uint64_t>(address, op, operand, condition);
    }
}

}  // namespace tessera
