// SPDX-License-Identifier: BSD-3-Clause
//
// Whether operations are under way whose local side is not complete: gets, long puts and fetching
// atomics to other nodes. Without them a flush of the local side has nothing to do.
//
// Threads flush at the same time, and none may return before its own operations are complete. So
// operations have numbers, and a thread says that they are complete only behind its quiet; a mark
// that it took away first would hide the others' operations from them.
#pragma once

#include <shmem.h>

#include <atomic>
#include <cstdint>

namespace tessera::dart {

namespace detail {
inline std::atomic<std::uint64_t> started{0};
inline std::atomic<std::uint64_t> completed{0};  // of these, the first ones
}  // namespace detail

// Behind the start of the operation: a quiet that comes after the number completes it.
// Release: pairs with transfers/pending.hpp:complete_pending.
inline void note_pending() { detail::started.fetch_add(1, std::memory_order_release); }

// RETURNS when: all operations that the calling thread has noted are complete.
inline void complete_pending() {
    // Acquire: pairs with transfers/pending.hpp:note_pending.
    const std::uint64_t last = detail::started.load(std::memory_order_acquire);
    // Acquire: pairs with the exchange below, by which another thread tells of its quiet.
    std::uint64_t first = detail::completed.load(std::memory_order_acquire);
    if (first >= last) {
        return;
    }
    shmem_quiet();
    // Pairs with the load above, in transfers/pending.hpp:complete_pending.
    while (first < last && !detail::completed.compare_exchange_weak(first, last)) {
    }
}

}  // namespace tessera::dart
