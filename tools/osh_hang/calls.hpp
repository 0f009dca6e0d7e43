// SPDX-License-Identifier: BSD-3-Clause
//
// Names for addresses on the stack of a PE that ends: a PE that crashes, or that the library ends
// with a message, asks for them (session/call_place.hpp). The PE waits meanwhile.
#pragma once

#include <sys/types.h>

#include <string>

namespace tessera::osh_hang {

// `list` has addresses of instructions, "0x1234,0x5678", from the innermost call outwards.

// "called by main (heat.c:12)": the innermost call in the program's own code, which is neither the
// library nor one of its runtimes; "" where debug information does not name its line.
std::string caller_text(pid_t pid, const std::string& list);

// "    work (heat.c:12)" for each call, from the innermost one to main, with ends of lines between.
std::string calls_text(pid_t pid, const std::string& list);

// For osh_report: `list` has addresses behind calls of a process that has ended, `maps` is a file
// with the lines of its /proc/PID/maps. A line of text for each, "work (heat.c:12)".
std::string lines_text(const std::string& maps, const std::string& list);

}  // namespace tessera::osh_hang
