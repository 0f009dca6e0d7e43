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

// The most calls that one of this duration may stand for. A timed call takes 60 ns longer, and does
// not overlap with its neighbours: calls of 20 ns in a row may take 300 ns each alone.
std::uint32_t stride_max(std::uint64_t ns) {
    if (ns >= 5000) return 1;
    if (ns >= 1000) return 8;
    return 1024;
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
                              .bytes = timing.words.first != 0 ? timing.words.bytes : timing.bytes,
                              .peer = timing.pe,
                              .operation = static_cast<std::uint16_t>(timing.operation),
                              .flags = timing.words.comparison,
                              .team = 0,
                              .sequence = 0,
                              .site = reinterpret_cast<std::uintptr_t>(timing.site),
                              .word = timing.words.first,
                              .value = timing.words.value});
}

}  // namespace

std::uint64_t start_sampled(Operation operation, int pe, std::uint64_t bytes, bool is_wanted) {
    if (!is_recording() && !attach()) return 0;
    Cell& cell = cell_of(operation, pe);
    if (cell.turn < 0) return now_ns();  // the routine has counted it
    if (bytes >= interpose::kCountedBytes) {
        ++cell.planned;
        cell.bytes += bytes;
        return now_ns();
    }
    cell.turn += static_cast<std::int64_t>(bytes) - interpose::kTurn;
    return cell.turn < 0 || is_wanted ? now_ns() : 0;
}

namespace {

// The call that was due in `cell` took `ns`. It stands for all calls that no other one stands for.
void note_sample(Cell& cell, Operation operation, std::uint64_t ns) {
    const std::uint64_t calls =
        cell.planned - static_cast<std::uint64_t>(cell.turn >> interpose::kTurnBits);
    const std::uint64_t stands_for = calls - cell.covered - cell.exact;
    if (stands_for == 1 || ns >= kSliceNs) {
        cell.exact_ns += ns;
        ++cell.exact;
    } else {
        cell.sampled_ns += ns * stands_for;
        cell.covered += stands_for;
    }
    Sampling& sampling = recorder.sampling[static_cast<std::size_t>(operation)];
    ++sampling.samples;
    sampling.stride = next_stride(sampling, ns);
    cell.bytes += static_cast<std::uint64_t>(cell.turn & (interpose::kTurn - 1));
    cell.planned = calls + sampling.stride - 1;
    cell.turn = (sampling.stride - 1) * interpose::kTurn;
}

}  // namespace

std::uint64_t end_sampled(const Timing& timing) {
    if (!is_recording() || timing.start_ns == 0) return 0;
    const std::uint64_t ns = elapsed_since(timing.start_ns);
    Cell& cell = cell_of(timing.operation, timing.pe);
    ++cell.timed;
    if (cell.turn < 0) {
        note_sample(cell, timing.operation, ns);
    } else {
        cell.exact_ns += ns;
        ++cell.exact;
    }
    const Direction direction = traits_of(timing.operation).direction;
    if (direction != Direction::kNone && timing.pe >= 0) {
        const bool is_off_node = recorder.is_off_node[timing.pe] != 0;
        recorder.part->note_bandwidth(direction, is_off_node, timing.bytes, ns);
    }
    record_long(timing, ns);
    return ns;
}

void end_waited(const Timing& timing) {
    if (!is_recording()) return;
    const std::uint64_t ns = elapsed_since(timing.start_ns);
    Cell& cell = cell_of(timing.operation, timing.pe);
    if (cell.turn < 0) {
        cell.planned -= static_cast<std::uint64_t>(cell.turn >> interpose::kTurnBits);
        cell.bytes += static_cast<std::uint64_t>(cell.turn & (interpose::kTurn - 1));
        cell.turn = 0;
    }
    ++cell.timed;
    cell.exact_ns += ns;
    ++cell.exact;
    record_long(timing, ns);
}

std::uint64_t count_timed(const Timing& timing) {
    const std::uint64_t ns = elapsed_since(timing.start_ns);
    Cell& cell = cell_of(timing.operation, timing.pe);
    ++cell.planned;
    cell.bytes += timing.bytes;
    cell.exact_ns += ns;
    ++cell.exact;
    ++cell.timed;
    return ns;
}

void end_timed(const Timing& timing) {
    if (!is_recording() || timing.start_ns == 0) return;
    record_long(timing, count_timed(timing));
}

}  // namespace tessera::trace
