// SPDX-License-Identifier: BSD-3-Clause
//
// The number and kind of checks before a wait becomes slow (base/wait.hpp). Hot path: every wait
// reads it, init writes it.
#pragma once

#include <cstdint>

namespace tessera {

struct WaitPolicy {
    std::uint32_t pauses = 0;    // checks with a pause between them
    std::uint32_t yields = 200;  // then checks with sched_yield between them
};

// THREADS: written while no thread of this PE waits.
extern WaitPolicy wait_policy;
// While more checks than this remain, gates pause for a shorter time.
inline constexpr std::uint32_t kLongPauses = 1000;
inline constexpr std::uint32_t kYieldsWithCoreEach = 10000;  // 3 to 5 ms

// `npes_local` PEs share `usable_cores` cores.
void choose_wait_policy(int npes_local, std::uint32_t usable_cores);

}  // namespace tessera
