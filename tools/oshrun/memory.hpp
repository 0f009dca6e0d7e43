// SPDX-License-Identifier: BSD-3-Clause
//
// The shared files of a job. PEs inherit them, so that they can start without communication. Called
// by start.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heap/node_file.hpp"
#include "topology/topology.hpp"

namespace tessera::oshrun {

// The memory that the PEs of one node share.
struct NodeMemory {
    heap::NodeFiles files;  // close-on-exec: only the PEs of the node may inherit them
    Mapping map;            // the part of the node file up to the end of the records
    heap::NodeHeader* header = nullptr;
    heap::PeRecord* records = nullptr;  // by position in the node
};

// Makes the files of all nodes by the user's settings, and writes the facts into the node files.
// `helpers`: of each node, or empty. Errors end oshrun.
std::vector<NodeMemory> make_memory(const topology::Facts& facts, int npes, int nodes,
                                    std::span<const heap::HelperPlan> helpers = {});

// "4 PEs with 1.5 GiB of symmetric heap each, in 4 KiB pages".
std::string memory_text(std::span<const NodeMemory> nodes);

}  // namespace tessera::oshrun
