// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: what a traced call costs. A short call is counted, and one in `stride` is timed; the
// stride of an operation follows from its own durations, so that timing takes a few percent of
// them. A timed call stands for those between it and the last one. Waits, collectives and long
// transfers are all timed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/platform.hpp"
#include "operations.hpp"
#include "part.hpp"

namespace tessera::trace {

// Transfers of this size are all timed, as the clock takes less than 2 percent of them.
inline constexpr std::uint64_t kTimedBytes = 64 * 1024;

struct Sampling {
    std::uint32_t countdown = 1;  // calls until the next timed one
    std::uint32_t stride = 1;     // calls for which it will stand
};

// The recorder of one thread.
struct Recorder {
    Part* part = nullptr;
    const std::uint8_t* is_off_node = nullptr;  // by PE
    std::uint32_t random = 1;
    Sampling sampling[kOperationCount];
};

// nullptr: this thread has not called yet, or nothing is recorded.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit Recorder* recorder;

// The first call of a thread. RETURNS: nullptr if nothing is recorded.
TESSERA_COLD Recorder* attach();

// One call between before and after. A `start_ns` of 0 says that it is not timed.
struct Timing {
    Operation operation;
    int pe;
    std::uint64_t bytes;
    std::uint64_t start_ns;
};

// Counts a call that is one of many. RETURNS: the time, or 0 if this call is not to be timed.
TESSERA_INLINE std::uint64_t count_call(Operation operation, int pe, std::uint64_t bytes) {
    Recorder* mine = recorder;
    if (mine == nullptr) [[unlikely]] {
        mine = attach();
        if (mine == nullptr) return 0;
    }
    Cell& cell = mine->part->cell(operation, pe);
    ++cell.count;
    cell.bytes += bytes;
    const bool is_due = bytes >= kTimedBytes ||
                        --mine->sampling[static_cast<std::size_t>(operation)].countdown == 0;
    return is_due ? now_ns() : 0;
}

// The end of a call that count_call() has timed.
[[gnu::noinline]] void end_sampled(const Timing& timing);

// The start of a call that is always timed.
TESSERA_INLINE std::uint64_t start_timed() {
    if (recorder == nullptr) [[unlikely]] {
        if (attach() == nullptr) return 0;
    }
    return now_ns();
}

// Its end: counts it, and makes a record if it was long.
[[gnu::noinline]] void end_timed(const Timing& timing);

}  // namespace tessera::trace
