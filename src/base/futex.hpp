// SPDX-License-Identifier: BSD-3-Clause
//
// futex(2) on a word that lies in memory shared between processes, so never with the private flag.
// Only slow paths come here.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace tessera {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Sleeps while `word` holds `expected`, at most `nanoseconds` (0: no limit, else below one second).
// May return early; callers check their condition again.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t nanoseconds = 0) {
    timespec limit{.tv_sec = 0, .tv_nsec = nanoseconds};
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, expected,
              nanoseconds > 0 ? &limit : nullptr, nullptr, 0);
}

// Wakes every process or thread that sleeps on `word`.
inline void futex_wake_one(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, 1, nullptr, nullptr,
              0);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr,
              nullptr, 0);
}

}  // namespace tessera
