// SPDX-License-Identifier: BSD-3-Clause
//
// The findings from the snapshots of all PEs of a job: where they disagree about the collectives of
// a team, which PE has a lock that others wait for, cycles, and the PEs that hold the others up.
#pragma once

#include <string>
#include <vector>

#include "tools/osh_hang/snapshot.hpp"

namespace tessera::osh_hang {

// "waits in shmem_barrier_all, called by main (FILE:52)"; begins with a verb.
std::string activity(const Snapshot& pe);

// ", called by main (FILE:52)". A routine may have left no trace on the stack but the call of it.
std::string called_by(const Snapshot& pe);

// From here on PE 0 is called image 1, and so on.
void call_pes_images(bool are_images);
// "PE 3"
std::string name_of_pe(int pe);
// "PEs 0-2, 5"
std::string ranges(std::vector<int> pes);

// "18th"
std::string ordinal(std::uint64_t number);

// One line each, the most telling ones last. `pes` is ordered by number.
std::vector<std::string> find(const std::vector<Snapshot>& pes);

}  // namespace tessera::osh_hang
