// SPDX-License-Identifier: BSD-3-Clause
//
// The job of this PE: its number, the other PEs, and the launcher. Called by session/runtime.cpp in
// init, finalize and shmem_global_exit. Four ways to start: by oshrun (everything is inherited,
// base/inherited.hpp), by another launcher that offers PMIx (mpirun, srun --mpi=pmix), as a group
// by a unique id (launch/group.hpp), or directly (one PE).
// THREADS: join, share_files and leave are called by one thread at a time.
#pragma once

#include "base/fd.hpp"
#include "launch/job_facts.hpp"

namespace tessera::launch {

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
