// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: programs wait by getting a word again and again, mostly from their own memory. Such a
// unit must let others run where units are more than processors, and serve other nodes.
#pragma once

namespace tessera::dart {

namespace detail {
inline constexpr unsigned kRepeatsMin = 64, kRepeatsMax = 4096;
struct Polling {
    const void* address = nullptr;
    unsigned repeats = 0;
    unsigned repeats_before_pause = kRepeatsMin;
    long switches = 0;  // of this thread, against its will, until its last pause
};
inline thread_local constinit Polling polling __attribute__((tls_model("initial-exec"))) = {};

void pause_poll(Polling& state);
}  // namespace detail

// Drives what this unit has to do for others.
void make_progress();

// Before a get of a word.
inline void note_poll(const void* address) {
    detail::Polling& state = detail::polling;
    if (address != state.address) {
        state.address = address;
        state.repeats = 0;
    } else if (++state.repeats >= state.repeats_before_pause) [[unlikely]] {
        detail::pause_poll(state);
    }
}

}  // namespace tessera::dart
