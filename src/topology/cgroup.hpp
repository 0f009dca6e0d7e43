// SPDX-License-Identifier: BSD-3-Clause
//
// Limits that the kernel's control groups (v1, v2 or both) put on this process: containers and
// batch systems hand out parts of a node this way. Used by topology.cpp and osh_info --doctor.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tessera::topology {

struct CgroupLimits {
    static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t memory_bytes = kNone;
    std::uint64_t cpu_milli = kNone;  // thousandths of a PU, rounded up
    // Processes and threads that the group may start beside those that it has now.
    std::uint64_t new_tasks = kNone;
};

// The tightest limit between the process's own group and the top of what is mounted, for every
// mounted hierarchy. Files that are missing or make no sense limit nothing.
// COST: reads two files in `proc` and a few for each level of each hierarchy.
CgroupLimits read_cgroup_limits(const std::string& proc);

}  // namespace tessera::topology
