// SPDX-License-Identifier: BSD-3-Clause
//
// osh_info --collectives: the choices of the cost model for a job of a given shape on this machine.
#pragma once

#include <string>
#include <string_view>

namespace tessera::osh_info {

struct JobLayout {
    int npes = 0;  // 0: one for each usable core
    int nodes = 1;
    bool nodes_are_virtual = false;  // they share the cores of this machine
};
// For each collective: its algorithms with their costs, then the choices by size with the times
// that the model expects, and the setting of SHMEM_<COLLECTIVE>_ALGORITHM, if there is one.
std::string collectives_text(const JobLayout& job);

// "collective,algorithm,bytes,seconds" for all algorithms that the job can use, as the model
// expects them, at powers of 2.
std::string collectives_csv(const JobLayout& job);

// The names of one collective's algorithms that the job can use, a line each. RETURNS: "" for a
// collective that does not exist.
std::string algorithms_text(std::string_view collective, const JobLayout& job);

// The table of all algorithms in docs/code/collectives.md. A test compares it with the file.
std::string algorithms_markdown();

}  // namespace tessera::osh_info
