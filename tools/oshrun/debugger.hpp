// SPDX-License-Identifier: BSD-3-Clause
//
// --debug: the PEs stop before their program begins, and gdb attaches to each in a pane of the
// terminal multiplexer tmux, runs the program to main() and waits for the user. A PE stays a child
// of oshrun with its input and output, so a job under gdb is the same job. Called by start.cpp.
#pragma once

#include "job.hpp"
#include "options.hpp"
#include "spawn.hpp"

namespace tessera::oshrun {

// Ends oshrun with a message if gdb or tmux is missing, or if there are too many panes.
void check_debugger(const Options& options, int npes);

bool is_debugged(const Options& options, int pe);

// Makes the process of the plan stop before it executes its program.
void wait_for_debugger(ProcessPlan& plan);

// Starts gdb for the PEs and says where the user finds it.
void start_debuggers(Job& job);

// Ends what start_debuggers() has started. REQUIRES: no PE is left.
void close_debuggers();

}  // namespace tessera::oshrun
