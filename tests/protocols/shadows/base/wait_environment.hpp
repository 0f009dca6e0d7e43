// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: a PE that waits has a sleeper and an inline limit, and nothing else to do.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/sleeper.hpp"
#include "base/wait_policy.hpp"
#include "base/wait_subject.hpp"
#include "protocol.hpp"

namespace tessera {

// A time that no PE reads.
struct Unread {
    void store(std::uint64_t /*value*/, std::memory_order /*order*/) const {}
};
struct WaitTimes {
    std::uint64_t busy_between(std::uint64_t /*from*/, std::uint64_t /*to*/) const { return 0; }
    Unread entered;
    Unread ended;
};

inline constinit WaitTimes no_times{};
inline constinit std::atomic<std::uint64_t> yields_always{0};

struct WaitEnvironment {
    using Help = bool (*)();
    static constexpr Help help = nullptr;
    static constexpr WaitTimes* times = &no_times;
    static constexpr std::span<const WaitTimes* const> times_of_others = {};
    static constexpr std::atomic<std::uint64_t>* oversubscribed_until_ns = &yields_always;
    static constexpr std::span<char> label = {};
    static constexpr std::atomic<std::int64_t>* sleep_note = nullptr;
    static constexpr const char* sleep_origin = nullptr;
    static constexpr WaitNote* note = nullptr;
    static constexpr std::uint64_t hang_nanoseconds = 0;
    static constexpr void report_hang() {}
    static constexpr const std::atomic<std::uint32_t>* arrivals = nullptr;

    Sleeper* sleeper = nullptr;
    InlineLimit* inline_limit = nullptr;
    std::uint64_t inline_limit_bytes = 0;
};
// Each thread of a harness is a PE and sets its own.
inline constinit WaitEnvironment wait_environments[protocols::kThreadsMax]{};
#define wait_environment ::tessera::wait_environments[::tessera::protocols::my_thread]
inline void set_wait_environment(const WaitEnvironment& environment) {
    wait_environment = environment;
}

// No pause and no yield: a slow wait sleeps at once.
inline constinit WaitPolicy wait_policy{.pauses = 0, .yields = 0};

inline bool drive_progress() { return false; }
inline void release_held() {}

}  // namespace tessera
