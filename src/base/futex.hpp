// SPDX-License-Identifier: BSD-3-Clause
//
// futex(2) on a word that lies in memory shared between processes. Only slow paths come here.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace tessera {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Sleeps while `word` holds `expected`. May return early; callers check their condition again.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, expected, nullptr,
              nullptr, 0);
}

// Wakes every process or thread that sleeps on `word`.
inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr,
              nullptr, 0);
}

}  // namespace tessera
