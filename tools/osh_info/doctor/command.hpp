// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that the doctor runs: launchers, and parts of itself. Their output comes back as text.
#pragma once

#include <string>
#include <vector>

namespace tessera::osh_info {

struct Outcome {
    int exit_code = -1;  // 128 + signal for a program that a signal ended; -1: not started
    bool timed_out = false;
    std::string out;  // stdout and stderr in their order
};

// Runs a program of PATH, with no input, as the leader of a process group, which is killed after
// `seconds`. RETURNS when: it has ended and its output is closed.
Outcome run(const std::vector<std::string>& words, int seconds);

// The path of a program in PATH; "": there is none.
std::string path_of(const std::string& program);

// This program, and the oshrun beside it (else the one in PATH; "": there is none).
std::string own_path();
std::string oshrun_path();

// The last lines of a text, at most `count`, without the newline at the end.
std::string last_lines(const std::string& text, int count);

}  // namespace tessera::osh_info
