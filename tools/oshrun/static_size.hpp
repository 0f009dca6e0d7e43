// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the kernel has room for a program's static data. If it has not, execve() succeeds and the
// new process dies by SIGSEGV before any of its code runs, so only oshrun can report the reason.
// Called by programs.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::oshrun {

// The bytes of .data and .bss of the program file in memory; 0 for scripts and unreadable files.
std::uint64_t static_data_bytes(const std::string& path);

// Whether a process may have that much private memory, as execve() asks for it.
bool system_grants(std::uint64_t bytes);

}  // namespace tessera::oshrun
