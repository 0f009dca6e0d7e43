// SPDX-License-Identifier: BSD-3-Clause
//
// See wait_environment.hpp and wait_policy.hpp. The constants are measured: docs/code/waiting.md.
#include "base/wait_environment.hpp"

#include <algorithm>

#include "base/wait_policy.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kPausesWithCoreEach = kLongPauses + 100;  // 10 to 60 us
constexpr std::uint32_t kPausesWithProgress = 50;
constexpr std::uint32_t kYieldsOversubscribed = 200;

// The words before init, which no other PE sees. Constants of the program, so that a wait may come
// before all initialisation.
constinit Sleeper private_sleeper{};
constinit InlineLimit private_inline_limit{};
constinit WaitTimes private_times{};
constinit std::atomic<std::uint64_t> private_oversubscribed_until{0};

constexpr WaitEnvironment with_private_words(WaitEnvironment environment) {
    const auto choose = [](auto*& word, auto& private_word) {
        if (word == nullptr) word = &private_word;
    };
    choose(environment.sleeper, private_sleeper);
    choose(environment.inline_limit, private_inline_limit);
    choose(environment.times, private_times);
    choose(environment.oversubscribed_until_ns, private_oversubscribed_until);
    return environment;
}

}  // namespace

constinit WaitPolicy wait_policy{};
constinit WaitEnvironment wait_environment = with_private_words({});

void choose_wait_policy(int npes_local, std::uint32_t usable_cores) {
    const bool core_each = static_cast<std::uint32_t>(npes_local) <= usable_cores;
    wait_policy = {.pauses = core_each ? kPausesWithCoreEach : 0,
                   .yields = core_each ? kYieldsWithCoreEach : kYieldsOversubscribed};
}

void set_wait_environment(const WaitEnvironment& environment) {
    wait_environment = with_private_words(environment);
    if (environment.progress != nullptr)
        wait_policy.pauses = std::min(wait_policy.pauses, kPausesWithProgress);
    // Relaxed: a PE that still sees 0 calls the library, which is right at any time.
    wait_environment.inline_limit->bytes.store(environment.inline_limit_bytes,
                                               std::memory_order_relaxed);
}

void reset_wait_environment() { wait_environment = with_private_words({}); }

std::uint64_t WaitTimes::busy_between(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t last_entered = entered.load(std::memory_order_relaxed);
    const std::uint64_t last_ended = ended.load(std::memory_order_relaxed);
    const std::uint64_t begin = std::max(from, last_ended);
    const std::uint64_t end = last_entered > last_ended ? std::min(to, last_entered) : to;
    return end > begin ? end - begin : 0;
}

}  // namespace tessera
