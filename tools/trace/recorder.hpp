// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: counts and times the calls. Short calls are counted, and some of them are timed: all
// while the program makes few, then the fewer the shorter they are. Waits, collectives and long
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

// The sampling of one operation. Of `stride` calls the last one is timed, and stands for the time
// of all of them.
struct Sampling {
    std::uint32_t left = 1;  // calls until the next timed one
    std::uint32_t stride = 1;
    std::uint32_t samples = 0;
};

// The recorder of one thread.
struct Recorder {
    Cell* cells = nullptr;  // nullptr: this thread has not called yet, or nothing is recorded
    std::uint32_t npes = 0;
    std::uint32_t random = 1;
    Part* part = nullptr;
    const std::uint8_t* is_off_node = nullptr;  // by PE
    Sampling sampling[kOperationCount] = {};

    // `pe`: any other number than those of PEs stands for "no peer".
    TESSERA_INLINE Cell& cell(Operation operation, int pe) const {
        const auto peer = static_cast<std::uint32_t>(pe);
        const std::size_t row = peer < npes ? peer : npes;
        return cells[row * kOperationCount + static_cast<std::size_t>(operation)];
    }
};
[[gnu::tls_model("initial-exec")]] extern thread_local constinit Recorder recorder;

// The first call of a thread. RETURNS: false if nothing is recorded.
TESSERA_COLD bool attach();

// One call that was timed.
struct Timing {
    Operation operation;
    int pe;
    std::uint64_t bytes;
    std::uint64_t start_ns;
};

// Counts a call that is one of many. RETURNS: whether that is all; if not, start_sampled() is next.
// COST: about a nanosecond. The two counters are two sums: as one of a vector (which tools/trace's
// build forbids the compiler) they would wait 3 ns for the store of the call before.
TESSERA_INLINE bool count_call(Operation operation, int pe, std::uint64_t bytes) {
    if (recorder.cells == nullptr) [[unlikely]]
        return false;
    Cell& cell = recorder.cell(operation, pe);
    ++cell.count;
    cell.bytes += bytes;
    return --recorder.sampling[static_cast<std::size_t>(operation)].left != 0 &&
           bytes < kTimedBytes;
}

// The start of a call that count_call() has not settled: it is to be timed, or the thread's first.
// RETURNS: 0 if nothing is recorded.
[[gnu::noinline, gnu::cold]] std::uint64_t start_sampled(Operation operation, int pe,
                                                         std::uint64_t bytes);

// Its end.
[[gnu::noinline, gnu::cold]] void end_sampled(const Timing& timing);

// The start of a call that is always timed. RETURNS: 0 if nothing is recorded.
TESSERA_INLINE std::uint64_t start_timed() {
    if (recorder.cells == nullptr) [[unlikely]] {
        if (!attach()) return 0;
    }
    return now_ns();
}

// Its end: counts it, and makes a record if it was long.
[[gnu::noinline]] void end_timed(const Timing& timing);

// The parts of the above. RETURNS: the duration.
std::uint64_t count_timed(const Timing& timing);

}  // namespace tessera::trace
