// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of a job on this host, found in /proc by what the launchers put into their
// environment. So PEs are found that have not come to shmem_init, and those of other nodes that
// one host is cut into.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace tessera::osh_hang {

struct PeProcess {
    pid_t pid = 0;
    int pe = -1;          // number in the world; -1: not known
    std::string job;      // equal for the processes of a job
    std::string program;  // name
    char state = '?';     // as in /proc/PID/stat: T is stopped, Z has ended
    int node_fd = -1;     // the descriptor of the node file in that process; -1: it has none
};

// The PE process `pid`, or an empty one (pid 0) when it is no PE, or cannot be read.
PeProcess look_at(pid_t pid);

// One process for each PE of the job of `any`, by number. Of a wrapper and the program that it has
// started, the program.
std::vector<PeProcess> find_job(const PeProcess& any);

// All PEs of this user on this host.
std::vector<PeProcess> find_pes();

// The node file of the process; empty: it has none, or it cannot be read.
Fd open_node_file(const PeProcess& process);

// The bytes of another process. RETURNS: whether all could be read.
bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t bytes);

}  // namespace tessera::osh_hang
