// SPDX-License-Identifier: BSD-3-Clause
//
// The clock of waits and progress.
#pragma once

#include <time.h>

#include <cstdint>

namespace tessera {

// Nanoseconds of CLOCK_MONOTONIC, the same for all processes of a host. COST: 20 to 30 ns.
inline std::uint64_t now_ns() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace tessera
