// SPDX-License-Identifier: BSD-3-Clause
//
// The position of this PE among the PEs of its host and its node, and of its node in the job. Plain
// arithmetic on lists of PEs, separate from the files that provide the lists. Called by job.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch/job_facts.hpp"

namespace tessera::launch {

// "0,1,2" or "0-3,8", in any order. RETURNS: ascending; empty for anything else, and for more PEs
// than any job has.
std::vector<int> parse_pe_list(const std::string& text);

// Whether each of the PEs of a job is on one of the hosts, once.
bool are_hosts_of_job(std::span<const std::vector<int>> hosts, int npes);

// Fills in the members of `job` that depend on its host: the node and its PEs, the host's numbers.
// REQUIRES: job.pe is in `host_pes`, which is ascending.
void place_on_host(Job& job, std::span<const int> host_pes, int nodes_per_host);

// Fills in job.node and job.nnodes. Nodes are numbered by their first PE. `hosts` has the ascending
// PEs of each host, in any order. REQUIRES: place_on_host().
void place_among_hosts(Job& job, std::span<const std::vector<int>> hosts, int nodes_per_host);

// Fills in all of these, and the names of the nodes, where one host has all PEs, cut into `nodes`.
// COST: O(nodes of the job), O(PEs of the node).
void place_on_only_host(Job& job, int nodes);

// Fills in job.node_names. `hosts` as above, with all PEs of the job.
void name_nodes(Job& job, std::span<const std::vector<int>> hosts, int nodes_per_host);

}  // namespace tessera::launch
