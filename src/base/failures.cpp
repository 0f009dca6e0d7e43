// SPDX-License-Identifier: BSD-3-Clause
//
// See failures.hpp.
#include "base/failures.hpp"

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

}  // namespace tessera
