// SPDX-License-Identifier: BSD-3-Clause
//
// oshrun's command line in the language of other launchers. Plain functions of their arguments;
// handover.cpp chooses the launcher and executes the result.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace tessera::oshrun {

// The kind of program that PATH has under the name mpirun or prterun. Open MPI 5 uses PRRTE.
enum class MpirunKind { kUnknown, kOpenMpi4, kPrrte };

// `version` is the output of `mpirun --version`.
MpirunKind mpirun_kind(const std::string& version);

// The parts of a command besides the options.
struct CommandContext {
    MpirunKind mpirun_kind = MpirunKind::kOpenMpi4;
    bool is_root = false;
    std::vector<std::string> variable_names;  // names in this process's environment
    std::string program_list_path;            // srun with several programs: path of the list
};

// `program` is the name or path of mpirun or prterun.
std::vector<std::string> mpirun_command(const std::string& program, const Options& options,
                                        const CommandContext& context);

std::vector<std::string> srun_command(const Options& options, const CommandContext& context);

// The list of several programs for srun --multi-prog. RETURNS: "" or the complaint.
std::string srun_program_list(const std::vector<App>& apps, std::string& list);

// The option that the launcher cannot be told, or "".
std::string lost_in_handover(const Options& options, Launcher launcher);

// Whether PEs on other hosts need the variable; mpirun passes on only variables that it is told.
bool is_for_all_hosts(const std::string& variable_name);

}  // namespace tessera::oshrun
