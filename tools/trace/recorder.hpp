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

// The sampling of one operation. Of `stride` calls with one peer the last one is timed, and stands
// for the time of all of them.
struct Sampling {
    std::uint32_t stride = 1;
    std::uint32_t samples = 0;
};

// The recorder of one thread.
struct Recorder {
    Row* rows = nullptr;     // nullptr: this thread has not called yet, or nothing is recorded
    std::uint32_t npes = 0;  // 0 with it
    std::uint32_t random = 1;
    Part* part = nullptr;
    const std::uint8_t* is_off_node = nullptr;  // by PE
    Sampling sampling[kOperationCount] = {};

    // `pe`: any other number than those of PEs stands for "no peer".
    Cell& cell(Operation operation, int pe) const {
        const auto peer = static_cast<std::uint32_t>(pe);
        return rows[peer < npes ? peer : npes].cells[static_cast<std::size_t>(operation)];
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

// Counts a call that is one of many. RETURNS: the row of its peer if that is all; nullptr if
// start_sampled() is next. COST: less than a nanosecond.
TESSERA_INLINE const Row* count_call(Operation operation, int pe, std::uint64_t bytes) {
    // Known when the routine is compiled; locks of all PEs have no peer.
    const bool may_have_peer = has_peer(operation) && !(__builtin_constant_p(pe) && pe < 0);
    const auto peer = may_have_peer ? static_cast<std::uint32_t>(pe) : recorder.npes;
    const bool is_known = may_have_peer ? peer < recorder.npes : recorder.rows != nullptr;
    if (!is_known || bytes >= kTimedBytes) [[unlikely]]
        return nullptr;
    Row& row = recorder.rows[peer];
    Cell& cell = row.cells[static_cast<std::size_t>(operation)];
    cell.turn += static_cast<std::int64_t>(bytes) - kTurn;
    return cell.turn < 0 ? nullptr : &row;
}

// The start of a call that count_call() has not settled: it is to be timed, or has another number
// than those of PEs, or is the thread's first. RETURNS: 0 if it is not to be timed.
[[gnu::noinline, gnu::cold]] std::uint64_t start_sampled(Operation operation, int pe,
                                                         std::uint64_t bytes);

// Its end.
[[gnu::noinline, gnu::cold]] void end_sampled(const Timing& timing);

// The end of a call that count_call() or start_sampled() has counted, and that had to wait. If it
// was due, the next call is timed in its place.
[[gnu::noinline]] void end_waited(const Timing& timing);

// The start of a call that is always timed. RETURNS: 0 if nothing is recorded.
TESSERA_INLINE std::uint64_t start_timed() {
    if (recorder.rows == nullptr) [[unlikely]] {
        if (!attach()) return 0;
    }
    return now_ns();
}

// Its end: counts it, and makes a record if it was long.
[[gnu::noinline]] void end_timed(const Timing& timing);

// The parts of the above. RETURNS: the duration.
std::uint64_t count_timed(const Timing& timing);

}  // namespace tessera::trace
