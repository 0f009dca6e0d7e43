// SPDX-License-Identifier: BSD-3-Clause
//
// Who starts the PEs: oshrun itself or another launcher, by the options and by where oshrun runs.
// Called by handover.cpp; nothing is executed here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "options.hpp"

namespace tessera::oshrun {

// "auto", "local", "srun", "prterun", "mpirun".
std::string_view launcher_name(Launcher launcher);

// What the choice depends on besides the options.
struct Surroundings {
    std::function<const char*(const char* name)> variable;     // value or nullptr
    std::function<bool(const std::string& name)> has_program;  // in PATH
};

// Who starts the job: kLocal (oshrun itself) or another one, never kAuto. `error` says why nobody
// can, or is "".
Launcher choose_launcher(const Options& options, const Surroundings& surroundings,
                         std::string& error);

}  // namespace tessera::oshrun
