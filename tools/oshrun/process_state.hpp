// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a process as the kernel shows it. Called by ending.cpp and debugger.cpp.
#pragma once

#include <sys/types.h>

namespace tessera::oshrun {

// The state letter in /proc/PID/stat, after the name in parentheses; '?' when there is none.
char process_state(pid_t pid);

}  // namespace tessera::oshrun
