// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of osh_info's report, each as text with lines of at most 18 columns of name and a
// value. Called by main.cpp and fault_report.cpp. One thread; they look at the machine as it is
// now.
#pragma once

#include <string>

#include "settings/config.hpp"

namespace tessera::osh_info {

// Whether the host's name is shown: a report of a fault, which others read, leaves it out.
enum class Host { kShown, kHidden };

// "  name               value\n", the form of all lines.
std::string line(const char* name, const std::string& value);
std::string version_text();
std::string build_text();
// hwloc, and PMIx as it would be loaded under a foreign launcher.
std::string libraries_text();
// The node, the memory that a job may use, and the heap that follows.
std::string machine_text(const Config& config, Host host = Host::kShown);
std::string transports_text();
// The file of libpmix that the build has found, for loaders that do not find one.
const char* pmix_library();

}  // namespace tessera::osh_info
