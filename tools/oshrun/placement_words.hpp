// SPDX-License-Identifier: BSD-3-Clause
//
// The words of --bind-to and --map-by: oshrun's, and those that mpirun and mpiexec have for the
// same. Called by options.cpp. Errors come back as text.
#pragma once

#include <string>
#include <string_view>

#include "topology/binding.hpp"

namespace tessera::oshrun {

// Where the PEs of a host run. 0: not given.
struct Placement {
    topology::BindTo bind_to = topology::BindTo::kAuto;
    topology::MapBy map_by = topology::MapBy::kCore;
    int cores_per_pe = 0;
    int pes_per_part = 0;  // PEs of each part of the machine that map_by names
    int pes_per_host = 0;
};

// "numa", "socket", "hwthread", "core:2". RETURNS: "" or the complaint.
std::string read_binding(std::string_view text, Placement& placement);

// "numa", "slot:pe=4", "ppr:2:socket:pe=4". RETURNS: "" or the complaint.
std::string read_mapping(std::string_view text, Placement& placement);

// "verbose,cores" of srun --cpu-bind. RETURNS: "" or the complaint.
std::string read_cpu_bind(std::string_view text, Placement& placement);

}  // namespace tessera::oshrun
