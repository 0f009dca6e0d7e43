// SPDX-License-Identifier: BSD-3-Clause
//
// Reports of the checker to the user. A report is a few lines on stderr: the mistake, the call and
// the objects with their places in the program, and what to do. It ends the job with exit code 1,
// unless SHMEM_CHECK is warn.
#pragma once

#include <string>
#include <vector>

#include "tools/interpose/call.hpp"

namespace tessera::check {

// "shmem_long_put at main (heat.c:40)".
std::string text_of(const interpose::Call& call);

// Tells a mistake of this PE. The same one from the same call is told once.
// `mistake` is one phrase, each of `lines` one sentence or a call with its place.
void report(const interpose::Call& call, const std::string& mistake,
            const std::vector<std::string>& lines);

// Tells what is no mistake, and goes on.
void note(const std::string& title, const std::vector<std::string>& lines);

// "1 block", "2 blocks".
std::string counted(std::size_t count, const char* one, const char* many);

// The PE's number, for the lines; -1 before init.
void set_pe(int pe);
int my_pe();

// Whether SHMEM_CHECK asks to go on after a report.
bool only_warns();

}  // namespace tessera::check
