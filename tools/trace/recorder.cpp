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

std::uint32_t stride_for(std::uint64_t ns) {
    if (ns >= 2000) return 1;
    if (ns >= 500) return 4;
    if (ns >= 150) return 16;
    return 64;
}

// A period of the program must not meet the same call again and again.
std::uint32_t scattered(std::uint32_t stride, std::uint32_t& random) {
    random = random * 1'664'525U + 1'013'904'223U;
    return stride == 1 ? 1 : stride / 2 + (random >> 16) % stride;
}

std::uint64_t add_time(Recorder& mine, const Timing& timing, std::uint64_t weight) {
    const std::uint64_t elapsed = now_ns() - timing.start_ns;
    const std::uint64_t ns = elapsed - std::min(elapsed, clock_ns());
    Cell& cell = mine.part->cell(timing.operation, timing.pe);
    cell.ns += ns * (ns < kSliceNs ? weight : 1);
    ++cell.timed;
    return ns;
}

void record_long(Recorder& mine, const Timing& timing, std::uint64_t ns) {
    mine.part->note_long({.start_ns = timing.start_ns,
                          .duration_ns = ns,
                          .bytes = timing.bytes,
                          .peer = timing.pe,
                          .operation = static_cast<std::uint16_t>(timing.operation),
                          .flags = 0,
                          .team = 0,
                          .sequence = 0});
}

}  // namespace

void end_sampled(const Timing& timing) {
    Recorder* mine = recorder;
    if (mine == nullptr) return;
    Sampling& sampling = mine->sampling[static_cast<std::size_t>(timing.operation)];
    const bool is_large = timing.bytes >= kTimedBytes;
    const std::uint64_t ns = add_time(*mine, timing, is_large ? 1 : sampling.stride);
    if (!is_large) {
        sampling.stride = scattered(stride_for(ns), mine->random);
        sampling.countdown = sampling.stride;
    }
    const Direction direction = traits_of(timing.operation).direction;
    if (direction != Direction::kNone && timing.pe >= 0) {
        const bool is_off_node = mine->is_off_node[timing.pe] != 0;
        mine->part->note_bandwidth(direction, is_off_node, timing.bytes, ns);
    }
    record_long(*mine, timing, ns);
}

void end_timed(const Timing& timing) {
    Recorder* mine = recorder;
    if (mine == nullptr || timing.start_ns == 0) return;
    Cell& cell = mine->part->cell(timing.operation, timing.pe);
    ++cell.count;
    cell.bytes += timing.bytes;
    record_long(*mine, timing, add_time(*mine, timing, 1));
}

}  // namespace tessera::trace
