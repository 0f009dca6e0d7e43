// SPDX-License-Identifier: BSD-3-Clause
//
// The types of operations of a context (core/context.hpp): words as bits, atomics, signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform.hpp"
#include "transports/transport.hpp"

namespace tessera {

// Values that one instruction loads or stores: the sizes that p, g and waits treat as whole words.
template <class T>
inline constexpr bool kIsWord = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;

template <class T>
TESSERA_INLINE std::uint64_t to_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
TESSERA_INLINE T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

// An atomic operation on a symmetric word.
template <class T>
struct Atomic {
    T* dest;
    AtomicOp op;
    T operand;
    T condition;  // kCompareSwap
};

template <class T>
TESSERA_INLINE AtomicRequest request_of(const Atomic<T>& atomic) {
    return {.dest = atomic.dest,
            .bytes = sizeof(T),
            .op = atomic.op,
            .operand = to_bits(atomic.operand),
            .condition = to_bits(atomic.condition)};
}

// The update of the signal word by a put-with-signal.
struct Signal {
    std::uint64_t* word = nullptr;  // symmetric
    std::uint64_t value = 0;
    int op = 0;  // SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD
};

// The destination of the old value of an atomic operation. On this node it is there at once.
enum class OldValue : std::uint8_t {
    kReturned,
    kIgnored,  // the operation may still be on its way when the call returns
    kLater,    // written to `later` by the next quiet
};

}  // namespace tessera
