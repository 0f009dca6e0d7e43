// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptors that PEs inherit from oshrun, and the environment variable that names them.
//   TESSERA_JOB=2,<pe>,<npes>,<nodes>,<oshrun pid>,<fd>:<inode> x 4
// The descriptors are the node file and the heap file of the PE's node, control, and life. `nodes`
// is the number of nodes that the PEs are cut into (base/virtual_nodes.hpp).
// The inodes tell a PE from a program that a PE started (system(), popen()): that program sees the
// variable, but its descriptors are closed. oshrun writes the variable, PEs read it once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace tessera {

inline constexpr const char* kJobVariable = "TESSERA_JOB";

struct Inherited {
    int pe = 0;
    int npes = 0;
    int nodes = 1;
    pid_t launcher_pid = 0;
    int node_fd = -1;     // memfd: NodeHeader, records, internal segments, static slots
    int heap_fd = -1;     // memfd: all symmetric heaps of the node
    int control_fd = -1;  // pipe, write end: a PE tells oshrun of an abort (ControlMessage)
    int life_fd = -1;     // pipe, read end; oshrun never writes, its end closes when oshrun dies
};

// A PE's last words, written to control_fd in one write (pipes keep writes of this size whole).
struct ControlMessage {
    enum Kind : std::int32_t { kAbort = 1, kGlobalExit = 2, kLostPeer = 3 };
    std::int32_t kind;
    std::int32_t pe;
    std::int32_t pid;
    std::int32_t code;
};

enum class Inheritance {
    kNone,   // no TESSERA_JOB: oshrun did not start this process
    kPe,     // this process is a PE of an oshrun job
    kStale,  // the variable is there but the descriptors are not: started by a PE, or by a wrapper
             // that closes descriptors
};

// Looks once, marks the descriptors close-on-exec and remembers the answer.
// THREADS: first called by a library constructor; later calls only read.
Inheritance inheritance();

// The descriptors, or nullptr unless inheritance() is kPe.
const Inherited* inherited();

// For oshrun: the variable's value for one PE.
std::string job_variable_value(const Inherited& job);

}  // namespace tessera
