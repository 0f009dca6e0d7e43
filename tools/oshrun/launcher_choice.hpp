// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of the launcher that starts the PEs: oshrun itself or another one, by the options and
// by the place where oshrun runs. Called by handover.cpp and
// osh_info --doctor; nothing is executed here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "options.hpp"

namespace tessera::oshrun {

// "auto", "local", "srun", "prterun", "mpirun".
std::string_view launcher_name(Launcher launcher);

// The facts, besides the options, that the choice depends on.
struct Surroundings {
    std::function<const char*(const char* name)> variable;     // value or nullptr
    std::function<bool(const std::string& name)> has_program;  // in PATH
};

// The hosts of the Slurm allocation that this process is in; 0: it is in none.
int nodes_of_allocation(const Surroundings& surroundings);

// RETURNS: the launcher of the job, kLocal (oshrun itself) or another one, never kAuto. `error`
// says why there is none, or is "".
Launcher choose_launcher(const Options& options, const Surroundings& surroundings,
                         std::string& error);

}  // namespace tessera::oshrun
