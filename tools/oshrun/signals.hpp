// SPDX-License-Identifier: BSD-3-Clause
//
// The signals that oshrun deals with. They are blocked from the start of main() and read from a
// descriptor, so that nothing ever runs in a handler. Called by main.cpp and the supervisor.
#pragma once

#include <csignal>
#include <string>

#include "base/fd.hpp"

namespace tessera::oshrun {

// Blocks the signals, in this thread and in all that it starts. The PEs get the earlier mask back.
struct SignalState {
    sigset_t mask_before;
    bool pipe_was_ignored = false;
    Fd fd;  // signalfd, non-blocking
};
SignalState take_signals();

// INT, TERM, HUP: the job is to end.
bool is_end_signal(int signal);
// Whether such a signal waits to be read.
bool end_signal_is_pending();

// "SIGSEGV (Segmentation fault)".
std::string signal_text(int signal);

}  // namespace tessera::oshrun
