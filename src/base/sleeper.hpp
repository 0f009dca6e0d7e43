// SPDX-License-Identifier: BSD-3-Clause
//
// Sleeper: one word per PE that says "this PE sleeps in a user wait". A user wait is for a word
// that any PE may change: atomics and signals wake the PE, a plain put does not, so the sleeps are
// short. The word lies in the PE's internal segment (core/internal_segment.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

class Sleeper {
  public:
    // For a writer that has changed a word of that PE. Exact after a seq_cst read-modify-write: the
    // writer writes the word, then reads sleeping_; the waiter writes sleeping_, then reads the
    // word. After a plain or release store the writer may miss a sleeper once in a while; the PE's
    // timed sleep then ends by itself. Pairs with base/wait.cpp:sleep_unless.
    // COST: a load of a line that is almost never written.
    TESSERA_INLINE bool is_sleeping() const {
        return sleeping_.load(std::memory_order_seq_cst) != 0;
    }
    TESSERA_COLD void wake();

    // Sleeps, at most `nanoseconds`, unless `ready(state)`.
    static constexpr std::int64_t kTimedSleepNanoseconds = 1'000'000;
    void sleep_unless(bool (*ready)(void*), void* state,
                      std::int64_t nanoseconds = kTimedSleepNanoseconds);

  private:
    std::atomic<std::uint32_t> sleeping_;
};
static_assert(sizeof(Sleeper) == 4);

// The offset in a PE's heap below which other PEs may store without a call of the library. 0 while
// the PE sleeps, because a store may have to wake it. A line of its own for each PE
// (heap/node_file.hpp), read by programs with SHMEM_INLINE (include/shmem/inline.h).
struct alignas(kFalseSharingBytes) InlineLimit {
    std::atomic<std::uint64_t> bytes;
};

}  // namespace tessera
