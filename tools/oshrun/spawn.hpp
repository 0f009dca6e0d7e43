// SPDX-License-Identifier: BSD-3-Clause
//
// Starts one process the way every PE is started. Called by start.cpp on the main thread only: the
// parent-death signal comes when the thread that made the process ends.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "limits.hpp"

namespace tessera::oshrun {

// How a program file was found, or why not.
struct Program {
    std::string path;
    int error = 0;  // errno of the last attempt when path is empty
};

// Finds `name` as execvp() would in `directory`: through PATH unless it contains a slash.
Program find_program(const std::string& name, const std::string& directory);

struct ProcessPlan {
    std::string path;       // of the program
    std::string directory;  // "" for oshrun's own
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::vector<std::uint32_t> pus;  // empty: not bound
    int standard_fds[3] = {-1, -1, -1};
    std::vector<int> kept_fds;  // inherited although they are close-on-exec
    sigset_t signal_mask;
    bool ignore_sigpipe = false;
    SavedLimits limits;  // to restore
};

struct Started {
    pid_t pid = -1;                // -1: not started
    const char* failed_step = "";  // what failed, for the message
    int error = 0;
};

// A process in a process group of its own (numbered like the process), which dies with oshrun.
// Descriptors that are not close-on-exec are inherited. RETURNS when: the program has been
// executed, or it is known why it could not be. COST: about 0.2 ms; the calling thread stands
// still.
Started spawn(const ProcessPlan& plan);

}  // namespace tessera::oshrun
