// SPDX-License-Identifier: BSD-3-Clause
//
// See recorder.hpp.
#include "recorder.hpp"

#include <algorithm>

namespace tessera::trace {
namespace {

// A preempted call takes as long as a time slice. It must not stand for its neighbours.
constexpr std::uint64_t kSliceNs = 20'000;

// The clock's own time, in each timed call.
std::uint64_t clock_ns() {
    static const std::uint64_t least = [] {
        std::uint64_t best = 1000;
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t start = now_ns();
            best = std::min(best, now_ns() - start);
        }
        return best;
    }();
    return least;
}

std::uint64_t elapsed_since(std::uint64_t start_ns) {
    const std::uint64_t elapsed = now_ns() - start_ns;
    return elapsed - std::min(elapsed, clock_ns());
}

// So many calls of an operation are all timed. First calls take longer than later ones.
constexpr std::uint32_t kAllTimed = 64;

// The most calls that one of this duration may stand for.
std::uint32_t stride_max(std::uint64_t ns) {
    if (ns >= 5000) return 1;
    if (ns >= 1000) return 8;
    if (ns >= 200) return 32;
    return 256;
}

// The next stride. A random part sees to it that a period of the program does not meet the same
// call again and again.
std::uint32_t next_stride(const Sampling& sampling, std::uint64_t ns) {
    if (sampling.samples < kAllTimed) return 1;
    const std::uint32_t wanted = std::min(2 * sampling.stride + 2, stride_max(ns));
    if (wanted < 8) return wanted;
    recorder.random = recorder.random * 1'664'525U + 1'013'904'223U;
    return wanted - wanted / 4 + (recorder.random >> 16) % (wanted / 2);
}

void record_long(const Timing& timing, std::uint64_t ns) {
    recorder.part->note_long({.start_ns = timing.start_ns,
                              .duration_ns = ns,
                              .bytes = timing.bytes,
                              .peer = timing.pe,
                              .operation = static_cast<std::uint16_t>(timing.operation),
                              .flags = 0,
                              .team = 0,
                              .sequence = 0});
}

}  // namespace

std::uint64_t start_sampled(Operation operation, int pe, std::uint64_t bytes) {
    if (recorder.cells == nullptr) {
        if (!attach()) return 0;
        count_call(operation, pe, bytes);
    }
    return now_ns();
}

void end_sampled(const Timing& timing) {
    if (recorder.cells == nullptr || timing.start_ns == 0) return;
    const std::uint64_t ns = elapsed_since(timing.start_ns);
    Sampling& sampling = recorder.sampling[static_cast<std::size_t>(timing.operation)];
    Cell& cell = recorder.cell(timing.operation, timing.pe);
    const bool is_due = sampling.left == 0;
    ++cell.timed;
    if (!is_due || sampling.stride == 1 || ns >= kSliceNs) {
        cell.exact_ns += ns;
        ++cell.exact;
    } else {
        cell.sampled_ns += ns * sampling.stride;
        cell.covered += sampling.stride;
    }
    if (is_due) {
        ++sampling.samples;
        sampling.left = sampling.stride = next_stride(sampling, ns);
    }
    const Direction direction = traits_of(timing.operation).direction;
    if (direction != Direction::kNone && timing.pe >= 0) {
        const bool is_off_node = recorder.is_off_node[timing.pe] != 0;
        recorder.part->note_bandwidth(direction, is_off_node, timing.bytes, ns);
    }
    record_long(timing, ns);
}

std::uint64_t count_timed(const Timing& timing) {
    const std::uint64_t ns = elapsed_since(timing.start_ns);
    Cell& cell = recorder.cell(timing.operation, timing.pe);
    ++cell.count;
    cell.bytes += timing.bytes;
    cell.exact_ns += ns;
    ++cell.exact;
    ++cell.timed;
    return ns;
}

void end_timed(const Timing& timing) {
    if (recorder.cells == nullptr || timing.start_ns == 0) return;
    record_long(timing, count_timed(timing));
}

}  // namespace tessera::trace
