// SPDX-License-Identifier: BSD-3-Clause
//
// docs/run/environment.md, made from the table of variables. A test compares it with the file.
#pragma once

#include <string>

namespace tessera::osh_info {

std::string environment_markdown();

}  // namespace tessera::osh_info
