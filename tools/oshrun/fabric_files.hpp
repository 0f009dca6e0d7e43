// SPDX-License-Identifier: BSD-3-Clause
//
// libfabric's shm provider keeps a file of 16 MiB for each endpoint in /dev/shm, PID:NUMBERS, and
// leaves it there if the process is killed.
#pragma once

#include <sys/types.h>

#include <vector>

namespace tessera::oshrun {

// Removes the files that these processes have left.
// REQUIRES: the processes have ended, or been killed; their numbers have not been given to others.
void remove_fabric_files(const std::vector<pid_t>& pids);

}  // namespace tessera::oshrun
