// SPDX-License-Identifier: BSD-3-Clause
//
// The programs to run and their environment. oshrun checks them before it starts anything, so that
// it reports a mistake once and not for every PE. Called by start.cpp.
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

// The environment that all PEs inherit: this process's, without the variables of other launchers.
std::vector<std::string> base_environment();

// The variables that tell a program, or a script around it, which PE it is.
// REQUIRES: all PEs of the job are on this host.
void add_place(std::vector<std::string>& entries, int pe, int npes);

// The program files, by app. Ends oshrun with a message when one cannot be run.
std::vector<Program> find_programs(const Options& options);

// Ends oshrun with a message when a program has more static data than the system grants a process,
// and warns of one that has more than `memory_bytes`, the memory that the job may use.
void check_static_data(const Options& options, const std::vector<Program>& programs,
                       std::uint64_t memory_bytes);

}  // namespace tessera::oshrun
