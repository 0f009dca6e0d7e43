// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: futex(2). The kernel's lock, under which a waiter compares the word and queues, and
// under which a PE wakes those that are queued, is a read-modify-write of the number of wakes. A
// wake is for all words: threads may wake for no reason. No sleep ends by time.
#pragma once

#include <atomic>
#include <cstdint>

#include "protocol.hpp"

namespace tessera {

inline constinit std::atomic<std::uint32_t> futex_wakes{0};

inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t /*nanoseconds*/ = 0) {
    const std::uint32_t queued = futex_wakes.fetch_add(0, std::memory_order_acq_rel);
    if (word.load(std::memory_order_relaxed) != expected) return;
    protocols::await([queued] { return futex_wakes.load(std::memory_order_acquire) != queued; });
}

inline void futex_wake_all(std::atomic<std::uint32_t>& /*word*/) {
    futex_wakes.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace tessera
