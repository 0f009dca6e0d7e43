// SPDX-License-Identifier: BSD-3-Clause
//
// The deaths of processes that the job survives. A PE asks for it (session/failures.hpp); from then
// on oshrun appends each PE whose process has died to the log of every node, and the slow waits of
// the other PEs look at it. Programs that do not ask have no log: a death ends their job. Hot path:
// failure_count() and look_for_failures().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

// The death after these ends the job.
inline constexpr std::uint32_t kFailuresMax = 63;

// In the node file (heap/node_file.hpp). oshrun alone writes it.
struct FailureLog {
    std::atomic<std::uint32_t> count;
    std::atomic<std::int32_t> pes[kFailuresMax];
};
static_assert(sizeof(FailureLog) == 256);

// Called by a waiting thread, once for each PE that has died.
using FailureHandler = void (*)(int pe);

struct FailureWatch {
    const FailureLog* log = nullptr;  // nullptr: the job does not survive
    FailureHandler handler = nullptr;
    std::atomic<std::uint32_t> told{0};  // entries of the log that the handler knows
};
extern FailureWatch failure_watch;

// Longest sleep of a waiter that nothing may wake because the PE that would has died.
inline constexpr std::int64_t kFailureSleepNanoseconds = 16'000'000;

TESSERA_INLINE bool survives_failures() { return failure_watch.log != nullptr; }

// oshrun writes the entry, then the count. Pairs with base/failures.hpp:failure_count in the PEs.
inline void append_failure(FailureLog& log, std::uint32_t index, int pe) {
    log.pes[index].store(pe, std::memory_order_relaxed);
    log.count.store(index + 1, std::memory_order_release);
}

// PEs that have died. COST: two loads. Pairs with base/failures.hpp:append_failure.
TESSERA_INLINE std::uint32_t failure_count() {
    const FailureLog* log = failure_watch.log;
    return log == nullptr ? 0 : log->count.load(std::memory_order_acquire);
}

// The PE of an entry. REQUIRES: index < failure_count(). Relaxed: ordered by the count.
inline int failed_pe(std::uint32_t index) {
    return failure_watch.log->pes[index].load(std::memory_order_relaxed);
}

// Whether the process of a PE has died.
bool is_dead(int pe);

// Begins to look at the log. THREADS: no other one waits.
void watch_failures(const FailureLog& log, FailureHandler handler);
// The log is about to be unmapped.
void forget_failures();

TESSERA_COLD void tell_failures();
// For slow waits: calls the handler for each new entry.
TESSERA_INLINE void look_for_failures() {
    if (failure_count() != failure_watch.told.load(std::memory_order_relaxed)) [[unlikely]]
        tell_failures();
}

}  // namespace tessera
