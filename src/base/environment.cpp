// SPDX-License-Identifier: BSD-3-Clause
//
// See environment.hpp.
#include "base/environment.hpp"

#include <unistd.h>

#include <cstdlib>

namespace tessera {

const char* environment(const char* name) { return std::getenv(name); }

const char* const* environment_entries() { return environ; }

}  // namespace tessera
