// SPDX-License-Identifier: BSD-3-Clause
//
// Whether operations are under way whose local side is not complete: gets, long puts and fetching
// atomics to other nodes. Without them a flush of the local side has nothing to do.
#pragma once

#include <shmem.h>

#include <atomic>

namespace tessera::dart {

namespace detail {
inline std::atomic<bool> is_pending{false};
}

// Behind the start of the operation: so complete_pending() either completes it, or leaves the mark.
inline void note_pending() { detail::is_pending.store(true, std::memory_order_release); }

inline void complete_pending() {
    if (detail::is_pending.load(std::memory_order_acquire)) {
        detail::is_pending.store(false, std::memory_order_release);
        shmem_quiet();
    }
}

}  // namespace tessera::dart
