// SPDX-License-Identifier: BSD-3-Clause
//
// The files that oshrun's installation (or build) has for a job: programs beside oshrun, and the
// libraries that the PEs preload for a tool.
#pragma once

#include <filesystem>

#include "options.hpp"

namespace tessera::oshrun {

// The folder of oshrun itself.
std::filesystem::path own_folder();

// Adds lib/tessera/LIBRARY to LD_PRELOAD, for PEs that oshrun or another launcher starts. Ends
// oshrun with a message that names `option` if the library is not there.
void preload(Options& options, const char* library, const char* option);

// Sets a variable of the PEs, whichever launcher starts them.
void export_variable(Options& options, const char* name, const std::string& value);

}  // namespace tessera::oshrun
