// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of oshrun. Called once by main.cpp; everything else gets the parsed struct.
//   oshrun [options] program [arguments] [: [options] program [arguments]]...
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts.hpp"
#include "placement_words.hpp"

namespace tessera::oshrun {

// One program of the job; most jobs have one.
struct App {
    int npes = 0;           // 0: not given
    std::string directory;  // --wdir; "" for the current one
    std::vector<std::string> command;
};

// The launcher that starts the PEs.
enum class Launcher { kAuto, kLocal, kSrun, kPrterun, kMpirun };
inline constexpr std::string_view kLauncherNames[] = {"auto", "local", "srun", "prterun", "mpirun"};

struct Options {
    std::vector<App> apps;
    std::vector<std::pair<std::string, std::string>> exports;  // -x; for the whole job
    Placement placement;
    std::vector<Host> hosts;  // --host, --hostfile
    Launcher launcher = Launcher::kAuto;
    int input_pe = 0;         // --stdin; kNoInput: none gets it
    std::string output_file;  // --output-filename; "": stdout and stderr of PEs are oshrun's
    std::string error_file;   // --error-filename; "": as stdout
    bool tag_output = false;
    bool timestamp_output = false;
    bool debug = false;
    std::vector<int> debugged_pes;                         // --debug=PES; empty: all
    std::vector<std::pair<std::string, std::string>> mca;  // for mpirun and prterun
    bool check = false;
    bool no_aslr = false;
    bool verbose = false;
    bool report_bindings = false;
    double timeout_seconds = 0;  // 0: no limit
    std::string trace_file;      // --trace; "": none
    std::string report_file;     // --report; "": none
};

// Prints help or version and exits with 0 when asked to; ends with a message and kUsageExitCode
// when the command line is wrong.
Options parse_options(int argc, char** argv);

inline constexpr int kUsageExitCode = 2;
inline constexpr int kNoInput = -1;

}  // namespace tessera::oshrun
