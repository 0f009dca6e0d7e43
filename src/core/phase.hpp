// SPDX-License-Identifier: BSD-3-Clause
//
// Where this PE is in its life. session/runtime.cpp moves it on; all rooms may ask. THREADS: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera {

enum class Phase : std::uint8_t { kBeforeInit, kInitialized, kFinalized, kForkedChild };

// A thread that sees kInitialized sees what init has made. Pairs with
// session/runtime.cpp:initialize and session/runtime.cpp:close_runtime.
extern constinit std::atomic<Phase> phase;

inline Phase runtime_phase() { return phase.load(std::memory_order_acquire); }

}  // namespace tessera
