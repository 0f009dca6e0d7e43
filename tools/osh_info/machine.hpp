// SPDX-License-Identifier: BSD-3-Clause
//
// osh_info --topology: the machine as a job sees it, and where its PEs would run. Called by
// main.cpp.
#pragma once

#include <map>
#include <string>

#include "topology/binding.hpp"

namespace tessera::osh_info {

// The words of --bind-to and --map-by.
extern const std::map<std::string, topology::BindTo> kBindings;
extern const std::map<std::string, topology::MapBy> kMappings;

struct MachineRequest {
    bool is_wanted = false;
    std::string synthetic;  // hwloc's description of another machine; "": this one
    std::string bind_to = "auto";
    std::string map_by = "core";
    std::string svg;  // "": print text
};

// Prints the machine, and the processors of `npes` PEs of it (0: one for each usable core); or
// draws it in a file. RETURNS: the exit status.
int show_machine(const MachineRequest& request, int npes);

}  // namespace tessera::osh_info
