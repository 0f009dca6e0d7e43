// SPDX-License-Identifier: BSD-3-Clause
//
// osh_hang, the program that reads PEs from outside: it has the debug information that a PE lacks.
// A PE starts it for a report on a hung job (session/hang_report.hpp), and to name places in its
// own code (session/call_place.hpp). It lies beside the library's folder (lib/../bin,
// lib/ARCH/../../bin), or in PATH.
#pragma once

#include <cstddef>
#include <span>

namespace tessera {

// The places where it may lie. The first call, before main, finds them.
std::span<const char* const> reporter_paths();

inline constexpr const char* kReporter = "osh_hang";

// Asks it, and copies its answer to `answer`, with a 0 at the end; "" when it is not there, cannot
// read this process, or takes too long. `arguments` end with nullptr; the program's name and the
// option that tells it where to write to come first: leave room for two.
// THREADS: any, also a signal handler.
void ask_reporter(std::span<const char*> arguments, std::span<char> answer);

}  // namespace tessera
