// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: an atomic of another PE, executed by this PE's processor on memory of its own: so it
// meets the atomics of this PE's node in the same instructions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform.hpp"
#include "base/shared_lock.hpp"
#include "transports/transport.hpp"

namespace tessera {

template <class Word>
TESSERA_INLINE std::uint64_t apply_atomic(void* address, AtomicOp op, std::uint64_t operand,
                                          std::uint64_t condition) {
    std::atomic_ref<Word> word(*static_cast<Word*>(address));
    const auto value = static_cast<Word>(operand);
    switch (op) {
        // Pairs with core/context.hpp:fence, core/context.hpp:swap and base/wait.cpp:sleep_unless.
        case AtomicOp::kFetch: return word.load();
        case AtomicOp::kSet:
        case AtomicOp::kSwap: return word.exchange(value);
        case AtomicOp::kCompareSwap: {
            auto seen = static_cast<Word>(condition);
            word.compare_exchange_strong(seen, value);
            return seen;
        }
        // Pairs with api/local_word.hpp:load and base/wait.cpp:sleep_unless.
        case AtomicOp::kAdd: return word.fetch_add(value);
        case AtomicOp::kAnd: return word.fetch_and(value);
        case AtomicOp::kOr: return word.fetch_or(value);
        case AtomicOp::kXor: return word.fetch_xor(value);
        case AtomicOp::kElement: break;  // apply_element()
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

// The same for AtomicOp::kElement. An element that does not have `bytes` bytes, or is unknown,
// changes nothing, and the old value is 0.
inline std::uint64_t apply_element(void* address, std::size_t bytes, Element element,
                                   std::uint64_t operand, std::atomic<std::uint32_t>& lock) {
    const ElementKernel* kernel = element.kernel();
    if (kernel == nullptr || kernel->bytes != bytes || kernel->fetch == nullptr) return 0;
    return kernel->fetch(static_cast<char*>(address), operand, lock);
}

// The same for an array; `dest` of it is the address here. `static_lock`: nullptr, or the lock
// under which other PEs of this node change the memory.
inline void apply_accumulate(const Accumulation& what, std::atomic<std::uint32_t>& element_lock,
                             std::atomic<std::uint32_t>* static_lock) {
    const ElementKernel& kernel = *what.element.kernel();
    auto* const dest = static_cast<char*>(what.dest);
    const auto* const source = static_cast<const char*>(what.source);
    auto* const old = static_cast<char*>(what.result);
    if (static_lock != nullptr) {
        SharedLock guard(*static_lock, "an accumulate on static data");
        if (old != nullptr) std::memcpy(old, dest, what.nelems * kernel.bytes);
        return kernel.combine(dest, source, what.nelems);
    }
    if (old == nullptr) return kernel.accumulate(dest, source, what.nelems, element_lock);
    kernel.get_accumulate(dest, source, old, what.nelems, element_lock);
}

// An accumulate on memory that this PE can only copy, in pieces under the lock of that memory:
// lock() makes the guard, load(piece, dest, bytes) copies a piece to here, store(dest, piece,
// bytes) copies it back.
template <class Lock, class Load, class Store>
void accumulate_in_pieces(const Accumulation& what, Lock lock, Load load, Store store) {
    constexpr std::size_t kPieceBytes = 4096;
    alignas(16) char piece[kPieceBytes];
    const ElementKernel& kernel = *what.element.kernel();
    const std::size_t at_once = kPieceBytes / kernel.bytes;
    auto* const dest = static_cast<char*>(what.dest);
    const auto* const source = static_cast<const char*>(what.source);
    auto* const old = static_cast<char*>(what.result);
    for (std::size_t i = 0; i < what.nelems; i += at_once) {
        const std::size_t count = what.nelems - i < at_once ? what.nelems - i : at_once;
        const std::size_t at = i * kernel.bytes;
        const std::size_t bytes = count * kernel.bytes;
        const auto guard = lock();
        load(piece, dest + at, bytes);
        if (old != nullptr) std::memcpy(old + at, piece, bytes);
        kernel.combine(piece, source + at, count);
        store(dest + at, piece, bytes);
    }
}

}  // namespace tessera
