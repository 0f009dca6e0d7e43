// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: programs wait by getting a word again and again, mostly from their own memory. Such a
// unit must let others run where units are more than processors, and serve other nodes.
#pragma once

#include "core/node.hpp"

namespace tessera::dart {

namespace detail {
inline constexpr unsigned kRepeatsMin = 64, kRepeatsMax = 4096;
struct Polling {
    const void* address = nullptr;
    unsigned repeats = 0;
    unsigned repeats_before_pause = kRepeatsMin;
    long switches = 0;  // involuntary switches of this thread until its last pause
};
inline thread_local constinit Polling polling __attribute__((tls_model("initial-exec"))) = {};

void pause_poll(Polling& state);

// Progress takes half a microsecond between nodes, a flush with nothing to do some nanoseconds.
inline constexpr unsigned kFlushesPerProgress = 16;
inline thread_local constinit unsigned flushes __attribute__((tls_model("initial-exec"))) = 0;
}  // namespace detail

// Drives what this unit has to do for others.
void make_progress();

// Behind a flush that had nothing to complete: a program may wait in a loop of flushes.
inline void note_flush() {
    if (node.has_other_nodes && ++detail::flushes % detail::kFlushesPerProgress == 0)
        make_progress();
}

// At each short get. RETURNS: whether the unit must pause, by pause_poll.
inline bool repeats_too_often(const void* address) {
    detail::Polling& state = detail::polling;
    if (address != state.address) {
        state.address = address;
        state.repeats = 0;
        return false;
    }
    return ++state.repeats >= state.repeats_before_pause;
}

inline void note_poll(const void* address) {
    if (repeats_too_often(address)) [[unlikely]]
        detail::pause_poll(detail::polling);
}

}  // namespace tessera::dart
