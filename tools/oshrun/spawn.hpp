// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the process of a PE. Called by start.cpp on the main thread only: the kernel sends the
// parent-death signal when the thread that made the process ends.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "limits.hpp"

namespace tessera::oshrun {

// The program file that was found, or the reason why none was.
struct Program {
    std::string path;
    int error = 0;  // errno of the last attempt when path is empty
};

// Finds `name` as execvp() would in `directory`: through PATH unless it contains a slash.
Program find_program(const std::string& name, const std::string& directory);

struct ProcessPlan {
    std::string path;       // path of the program
    std::string directory;  // "" for oshrun's own
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<std::uint32_t> pus;  // empty: not bound
    int standard_fds[3] = {-1, -1, -1};
    std::vector<int> kept_fds;  // inherited although they are close-on-exec
    sigset_t signal_mask;
    bool ignore_sigpipe = false;
    bool is_debugged = false;  // any process of the user may trace it
    bool no_aslr = false;      // the kernel does not randomise its addresses
    SavedLimits limits;        // to restore
};

struct Started {
    pid_t pid = -1;                // -1: not started
    const char* failed_step = "";  // for the message
    int error = 0;
};

// A process in a process group of its own (numbered like the process), which dies with oshrun.
// Descriptors that are not close-on-exec are inherited. RETURNS when: the program has been
// executed, or has failed to start. COST: about 0.2 ms, during which the calling thread stands
// still.
Started spawn(const ProcessPlan& plan);

}  // namespace tessera::oshrun
