// SPDX-License-Identifier: BSD-3-Clause
//
// The subject of a wait: the word, gate or lock that a PE waits for. A slow wait notes it in shared
// memory, from where osh_hang reads it (docs/run/hangs.md). A wait's first checks do not know it.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera {

enum class WaitKind : std::uint32_t {
    kUnknown = 0,
    kGate = 1,   // `address` is a Gate, in the node file; it is to reach `value`
    kWords = 2,  // `count` words of `word_bytes` at `address`; comparison with `value`
    kLock = 3,   // `address` is a lock of shmem_set_lock
};

// Trivial: made in registers when a wait becomes slow.
struct WaitSubject {
    WaitKind kind = WaitKind::kUnknown;
    std::int32_t comparison = 0;    // SHMEM_CMP_...
    const void* address = nullptr;  // in the memory of the PE that waits
    std::uint64_t value = 0;
    std::uint32_t word_bytes = 0;
    std::uint32_t count = 0;
};

// The same in shared memory. Hints: several threads of a PE may write a mixture. All accesses are
// relaxed; kind is 0 while the PE waits for nothing that is known.
struct WaitNote {
    std::atomic<WaitKind> kind;
    std::atomic<std::int32_t> comparison;
    std::atomic<std::uint64_t> address;
    std::atomic<std::uint64_t> value;
    std::atomic<std::uint32_t> word_bytes;
    std::atomic<std::uint32_t> count;

    void write(const WaitSubject& subject) {
        kind.store(subject.kind, std::memory_order_relaxed);
        comparison.store(subject.comparison, std::memory_order_relaxed);
        address.store(reinterpret_cast<std::uint64_t>(subject.address), std::memory_order_relaxed);
        value.store(subject.value, std::memory_order_relaxed);
        word_bytes.store(subject.word_bytes, std::memory_order_relaxed);
        count.store(subject.count, std::memory_order_relaxed);
    }
};
static_assert(sizeof(WaitNote) == 32);

}  // namespace tessera
