// SPDX-License-Identifier: BSD-3-Clause
#include "transfers/polling.hpp"

#include <sched.h>
#include <shmem.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/node.hpp"
#include "core/runtime.hpp"

namespace tessera::dart {

void make_progress() {
    if (node.has_other_nodes) {
        // A test that is never true; a test makes progress.
        shmem_uint64_test(reinterpret_cast<std::uint64_t*>(anchor()), SHMEM_CMP_NE, 0);
    }
}

// Where no other process wants the processor, pauses become rarer: one costs more than 64 gets.
void detail::pause_poll(Polling& state) {
    constexpr std::chrono::nanoseconds kAloneMax{1000};  // a yield that returns at once takes 400
    state.repeats = 0;
    if (node.is_oversubscribed) {
        const auto before = std::chrono::steady_clock::now();
        ::sched_yield();
        const bool is_alone = std::chrono::steady_clock::now() - before < kAloneMax;
        state.repeats_before_pause =
            is_alone ? std::min(2 * state.repeats_before_pause, kRepeatsMax) : kRepeatsMin;
    }
    make_progress();
}

}  // namespace tessera::dart
