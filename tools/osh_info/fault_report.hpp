// SPDX-License-Identifier: BSD-3-Clause
//
// The text that a report of a fault should contain (docs/run/reporting.md), as Markdown. Called by
// main.cpp. Of the environment it has only the variables that decide how a job runs; it names
// neither the host nor the user.
#pragma once

#include <string>

#include "settings/config.hpp"

namespace tessera::osh_info {

// `error` says which setting is not valid, or is "".
std::string fault_report(const Config& config, const std::string& error);

}  // namespace tessera::osh_info
