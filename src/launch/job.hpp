// SPDX-License-Identifier: BSD-3-Clause
//
// The job of this PE: its number, the other PEs, and the launcher. Called by session/runtime.cpp in
// init, finalize and shmem_global_exit. Four ways to start: by oshrun (everything is inherited,
// base/inherited.hpp), by another launcher that offers PMIx (mpirun, srun --mpi=pmix), as a group
// by a unique id (launch/group.hpp), or directly (one PE).
// THREADS: join, share_files and leave are called by one thread at a time.
#pragma once

#include <vector>

#include "base/fd.hpp"

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
    int node = 0;                   // of this PE; nodes are numbered by their first PE
    int nnodes = 1;                 // in the job; when there are several, launch/exchange.hpp works
    std::vector<int> first_pes{};   // by PE: the first PE of its node; empty: there is one node
    int npes_of_host = 1;           // share the memory and the cores of the host
    int nodes_of_host = 1;
    Fd node_file{};  // heap/node_file.hpp; empty until share_files unless kOshrun
    Fd heap_file{};
    std::vector<Fd>
        static_files{};  // kPmix: each local PE's static data, by local index; may be -1
};

// From here on fatal() ends the whole job, as far as oshrun started it. Before join().
void prepare_abort();

// Finds the launcher and joins its job. May be called again after leave(). Ends the job with an
// explanation when the environment shows a launcher that this process cannot join. Installs the
// hook of fatal() that ends the job (base/fatal.hpp), and ends this process when the launcher dies.
// `nodes_per_host` is SHMEM_VIRTUAL_NODES; under oshrun, which has cut the PEs already, it does not
// count. COST: oshrun with one node and none: microseconds. Else, first time: milliseconds
// (connects to the launcher), and a look-up for each host.
Job join(int nodes_per_host = 1);

// PMIx only, called by every PE of the job, also by one that is alone on its node: the PE with
// local_index 0 gives the files that it made for its node, the others give empty ones. Every
// PE gives the file of its static data (or -1) and keeps it open. No PE may leave() before all PEs
// of its node have returned.
// RETURNS when: node_file, heap_file and static_files of `job` are open in this PE.
// COST: one fence of the launcher, whatever the nodes; one round trip to the first PE of the node.
void share_files(Job& job, Fd node_file, Fd heap_file, int my_static_file);

// Tells the launcher to end the whole job with `code` and to report `code` without a complaint.
// RETURNS when: the launcher has been told; the caller exits with `code` then.
void request_global_exit(int code);

// The counterpart of join(): closes the descriptors of `job`. The connection to a PMIx launcher
// stays until the process exits, because most launchers let a process join only once.
void leave(Job& job);

}  // namespace tessera::launch
