// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the kernel has room for a program's static data. When it has not, execve() succeeds and
// the new process dies by SIGSEGV before any code of it runs, so only oshrun can say why. Called by
// programs.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::oshrun {

// What .data and .bss of the program file take in memory; 0 for scripts and what cannot be read.
std::uint64_t static_data_bytes(const std::string& path);

// Whether a process may have that much private memory, as execve() asks for it.
bool system_grants(std::uint64_t bytes);

}  // namespace tessera::oshrun
