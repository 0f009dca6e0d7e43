// SPDX-License-Identifier: BSD-3-Clause
//
// The facts of a job that a PE knows: its number, the other PEs, and the launcher. join()
// (launch/job.hpp) fills them in.
#pragma once

#include <vector>

#include "base/fd.hpp"
#include "base/node_names.hpp"

namespace tessera::launch {

// A *host* is what the launcher takes for one machine. A *node* is a set of PEs that map each
// other's memory: the PEs of a host, or a part of them (SHMEM_VIRTUAL_NODES).
enum class Launcher { kNone, kOshrun, kPmix, kGroup };

struct Job {
    Launcher launcher = Launcher::kNone;
    int pe = 0;
    int npes = 1;
    int local_index = 0;  // this PE among the PEs of its node
    int nlocal = 1;
    std::vector<int> local_pes{0};  // PE numbers by local index, ascending
    int node = 0;                   // this PE's node; nodes are numbered by their first PE
    int nnodes = 1;                 // in the job; when there are several, launch/exchange.hpp works
    NodeNames node_names{};
    int npes_of_host = 1;  // share the memory and the cores of the host
    int nodes_of_host = 1;
    Fd node_file{};  // heap/node_file.hpp; empty until share_files unless kOshrun
    Fd heap_file{};
    std::vector<Fd>
        static_files{};  // kPmix: each local PE's static data, by local index; may be -1
};

}  // namespace tessera::launch
