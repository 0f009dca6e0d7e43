// SPDX-License-Identifier: BSD-3-Clause
//
// The shared files of a job: what PEs inherit so that they can start without talking to anybody.
// Called by start.cpp.
#pragma once

#include "heap/node_file.hpp"
#include "topology/topology.hpp"

namespace tessera::oshrun {

// Makes both files by the user's settings, and writes the facts into the node file. Errors end
// oshrun.
heap::NodeFiles make_node_files(const topology::Facts& facts, int npes);

// The part of the node file that oshrun reads: everything up to the end of the records.
Mapping map_records(const heap::NodeFiles& files, heap::PeRecord*& records);

// "4 PEs with 1.5 GiB of symmetric heap each, in 4 KiB pages".
std::string memory_text(const heap::NodeFiles& files);

}  // namespace tessera::oshrun
