// SPDX-License-Identifier: BSD-3-Clause
//
// Helpers (SHMEM_PROGRESS=helpers): processes of oshrun, some for each node, that do long copies
// for PEs that compute (heap/offload_board.hpp). They run oshrun's program file, are no PEs, and do
// not end by themselves: oshrun kills them when the last PE has ended, and the kernel does when
// oshrun dies. The end of one before ends the job.
#pragma once

#include <vector>

#include "heap/offload_board.hpp"
#include "job.hpp"
#include "topology/binding.hpp"
#include "topology/topology.hpp"

namespace tessera::oshrun {

inline constexpr const char* kHelperName = "tessera-helper";

// Returns unless this process is a helper.
void run_helper(int argc, char** argv);

// The processors of all helpers of the job, those of a node side by side; empty: not bound. Ends
// oshrun where PEs leave them no cores, unless the user forces it.
std::vector<std::vector<std::uint32_t>> place_helpers(const topology::Facts& facts,
                                                      const topology::Plan& pes, int npes,
                                                      int nodes);
// The same for each node, as its node file has it; empty: there are none. Helpers that are not
// bound run wherever oshrun may.
std::vector<heap::HelperPlan> plan_of_nodes(const std::vector<std::vector<std::uint32_t>>& places,
                                            int nodes);
// Starts them. REQUIRES: job.nodes, job.keeper.
void start_helpers(Job& job, std::vector<std::vector<std::uint32_t>> places);
// Kills them; their ends do not count as failures. The supervisor reaps them.
void kill_helpers(Job& job);

}  // namespace tessera::oshrun
