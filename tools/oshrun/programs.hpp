// SPDX-License-Identifier: BSD-3-Clause
//
// What the user wants to run and with which environment, found out before anything is started so
// that mistakes are told once and not by every PE. Called by start.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"
#include "spawn.hpp"

namespace tessera::oshrun {

// As shells and env(1) have it.
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// Puts the variables of -x into this process's environment, so that settings among them count here.
void export_variables(const Options& options);

// What all PEs inherit: this process's environment without the traces of other launchers.
std::vector<std::string> base_environment();

// The program files, by app. Ends oshrun with a message when one cannot be run.
std::vector<Program> find_programs(const Options& options);

// Ends oshrun with a message when a program has more static data than the system grants a process,
// and warns of one that has more than `memory_bytes`, what the job may use.
void check_static_data(const Options& options, const std::vector<Program>& programs,
                       std::uint64_t memory_bytes);

}  // namespace tessera::oshrun
