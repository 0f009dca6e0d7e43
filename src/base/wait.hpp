// SPDX-License-Identifier: BSD-3-Clause
//
// How a PE waits, decided in this one place. Hot path: the first checks are inline, everything
// slower is in wait.cpp. First pauses, then yields, then sleeps in the kernel (docs/code/waiting.md
// has the measurements: a wrong choice here costs 1000x). Two kinds of words:
//
// Gate (gate.hpp): written only by post() (barriers).
//
// Sleeper (sleeper.hpp): one per PE, for words that any PE may change (user waits, locks).
//
// Invariant: the writer that ends a wait sees that the waiter sleeps (Gate, atomics), or the waiter
// wakes by itself: first after a millisecond, later less often. Every slow wait drives progress and
// notes its name for oshrun (wait_environment.hpp).
#pragma once

#include <cstdint>

#include "base/gate.hpp"
#include "base/platform.hpp"
#include "base/sleeper.hpp"
#include "base/wait_environment.hpp"
#include "base/wait_policy.hpp"

namespace tessera {

// The slow half of wait_until: yields, then timed sleeps, until `ready(state)`.
void wait_slowly(bool (*ready)(void*), void* state, const char* where);
// The same, where the subject of the wait is known.
void wait_slowly_for(const WaitSubject& subject, bool (*ready)(void*), void* state,
                     const char* where);

// Returns when `ready()` is true. `ready` acquires what the writer, or a fence behind it, released.
// `where` names the routine.
template <class Ready>
TESSERA_INLINE void wait_until(Ready ready, const char* where) {
    for (std::uint32_t i = wait_policy.pauses; i > 0; --i) {
        if (ready()) return;
        cpu_pause();
    }
    wait_slowly([](void* state) { return (*static_cast<Ready*>(state))(); }, &ready, where);
}

// The same. `describe()` tells the subject of the wait; only a slow one asks.
template <class Ready, class Describe>
TESSERA_INLINE void wait_until(Ready ready, const char* where, Describe describe) {
    for (std::uint32_t i = wait_policy.pauses; i > 0; --i) {
        if (ready()) return;
        cpu_pause();
    }
    wait_slowly_for(
        describe(), [](void* state) { return (*static_cast<Ready*>(state))(); }, &ready, where);
}

}  // namespace tessera
