// SPDX-License-Identifier: BSD-3-Clause
//
// Times the calls. Short calls are counted (interpose/counted.hpp), and some of them are timed: all
// while the program makes few, then the fewer the shorter they are. Waits, collectives and long
// transfers are all timed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "operations.hpp"
#include "part.hpp"
#include "tools/interpose/counted.hpp"

namespace tessera::trace {

// The sampling of one operation. Of `stride` calls with one peer the last one is timed, and stands
// for the time of all of them.
struct Sampling {
    std::uint32_t stride = 1;
    std::uint32_t samples = 0;
};

// The recorder of one thread. Its rows are those of interpose::table, which has none until the
// thread's first call, and where nothing is recorded.
struct Recorder {
    std::uint32_t random = 1;
    Part* part = nullptr;
    const std::uint8_t* is_off_node = nullptr;  // by PE
    Sampling sampling[kOperationCount] = {};
};
[[gnu::tls_model("initial-exec")]] extern thread_local constinit Recorder recorder;

inline bool is_recording() { return interpose::table.rows != nullptr; }

// `pe`: any other number than those of PEs stands for "no peer". REQUIRES: is_recording().
inline Cell& cell_of(Operation operation, int pe) {
    const auto peer = static_cast<std::uint32_t>(pe);
    const std::uint32_t npes = interpose::table.npes;
    Row* rows = reinterpret_cast<Row*>(interpose::table.rows);
    return rows[peer < npes ? peer : npes].cells[static_cast<std::size_t>(operation)];
}

// The first call of a thread. RETURNS: false if nothing is recorded.
bool attach();

// One call that was timed.
struct Timing {
    Operation operation;
    int pe;
    std::uint64_t bytes;
    std::uint64_t start_ns;
    const void* site = nullptr;
    Words words = {};  // words of a wait
};

// The start of a call that is one of many and not settled by counting: it is to be timed, or has
// another number than those of PEs, or is the thread's first, or ends a wait (`is_wanted`).
// RETURNS: 0 if it is not to be timed.
std::uint64_t start_sampled(Operation operation, int pe, std::uint64_t bytes, bool is_wanted);

// Its end. RETURNS: the duration.
std::uint64_t end_sampled(const Timing& timing);

// The end of a call that was counted, and that had to wait. If it was due, the next call is timed
// in its place.
void end_waited(const Timing& timing);

// The start of a call that is always timed. RETURNS: 0 if nothing is recorded.
inline std::uint64_t start_timed() { return is_recording() || attach() ? now_ns() : 0; }

// Its end: counts it, and makes a record if it was long.
void end_timed(const Timing& timing);

// The parts of the above. RETURNS: the duration.
std::uint64_t count_timed(const Timing& timing);

}  // namespace tessera::trace
