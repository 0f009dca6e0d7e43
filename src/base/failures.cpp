// SPDX-License-Identifier: BSD-3-Clause
//
// See failures.hpp, and death_patience.hpp.
#include "base/failures.hpp"

#include "base/clock.hpp"
#include "base/death_patience.hpp"
#include "base/fatal.hpp"

namespace tessera {

constinit FailureWatch failure_watch{};

bool is_dead(int pe) {
    const std::uint32_t count = failure_count();
    for (std::uint32_t i = 0; i < count; ++i) {
        if (failed_pe(i) == pe) return true;
    }
    return false;
}

void watch_failures(const FailureLog& log, FailureHandler handler) {
    failure_watch.handler = handler;
    failure_watch.told.store(0, std::memory_order_relaxed);
    failure_watch.log = &log;
}

void forget_failures() {
    failure_watch.log = nullptr;
    failure_watch.told.store(0, std::memory_order_relaxed);
}

// Several threads may wait: the one that counts an entry tells of it.
void tell_failures() {
    const std::uint32_t count = failure_count();
    std::uint32_t told = failure_watch.told.load(std::memory_order_relaxed);
    while (told < count) {
        // Relaxed: the count alone decides.
        if (!failure_watch.told.compare_exchange_weak(told, told + 1, std::memory_order_relaxed))
            continue;
        if (failure_watch.handler != nullptr) failure_watch.handler(failed_pe(told));
        ++told;
    }
}

void DeathPatience::look_at_deaths() {
    constexpr std::uint64_t kNanosecondsMax = 3'000'000'000;
    look_for_failures();
    const std::uint64_t now = now_ns();
    if (since_ns_ == 0) since_ns_ = now;
    if (now - since_ns_ < kNanosecondsMax) return;
    fatal_lost_peer(
        "a transfer to or from another node has not ended for %u s; a PE has died (the first one "
        "was PE %d), and its memory is out of reach",
        static_cast<unsigned>(kNanosecondsMax / 1'000'000'000), failed_pe(0));
}

}  // namespace tessera
